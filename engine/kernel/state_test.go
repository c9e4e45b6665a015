package kernel

import (
	"reflect"
	"testing"
)

// State is saved, hashed and restored as bytes, so its types may hold no
// pointers and no padding.
func TestStateIsPlain(t *testing.T) {
	for _, typ := range stateTypes {
		if got := plainSize(t, typ, typ.Name()); got != typ.Size() {
			t.Errorf("%v: fields have %d bytes, the struct %d: it has padding", typ, got, typ.Size())
		}
	}
}

// What events touch most fills whole cache lines of the host, so that the parts
// used together at a struct's start are one line.
func TestHotStateFillsLines(t *testing.T) {
	for _, typ := range typesOf(cpu{}, mutex{}, pipe{}) {
		if typ.Size()%64 != 0 {
			t.Errorf("%v has %d bytes, want a multiple of 64", typ, typ.Size())
		}
	}
}

func plainSize(t *testing.T, typ reflect.Type, where string) uintptr {
	switch typ.Kind() {
	case reflect.Struct:
		var sum uintptr
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Offset != sum {
				t.Errorf("%s: padding before %s", where, f.Name)
			}
			sum = f.Offset + plainSize(t, f.Type, where+"."+f.Name)
		}
		return sum
	case reflect.Array:
		return uintptr(typ.Len()) * plainSize(t, typ.Elem(), where)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return typ.Size()
	}
	t.Errorf("%s: %v is not plain state", where, typ)
	return typ.Size()
}
