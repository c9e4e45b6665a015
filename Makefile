# Wakelab: make run serves the page on http://localhost:8080 (PORT= changes it).

GO ?= go
PORT ?= 8080
CHROMIUM ?= /usr/bin/chromium
DIST := dist
GOROOT := $(shell $(GO) env GOROOT)
GO_FILES := $(shell find cmd engine presets render study -name '*.go' -not -name '*_test.go') go.mod go.sum
PRESETS := $(shell find presets -name '*.json' -o -name '*.gz')
PAGE_FILES := $(shell find web -type f -not -path 'web/test/*')

WASM := GOOS=js GOARCH=wasm
WASM_EXEC := $(GOROOT)/lib/wasm/go_js_wasm_exec
# Node's wasm_exec refuses a large environment.
WASM_TEST := env -i PATH="$$PATH" HOME="$$HOME" $(WASM) $(GO) test -exec="$(WASM_EXEC)"

# Node 20 has WebSocket behind a flag.
NODE_TEST := CHROMIUM="$(CHROMIUM)" node --experimental-websocket --test --test-concurrency=1

.PHONY: run build test test-go test-wasm test-page bench bench-wasm bench-page warm record calibration clean

run: build
	$(GO) run ./cmd/wakelab serve --dir $(DIST) --port $(PORT)

# dist/ can be served from any path by any static file server.
build: $(DIST)/.built

$(DIST)/page.wasm: $(GO_FILES)
	$(WASM) $(GO) build -trimpath -ldflags='-s -w' -o $@ ./cmd/wasm

$(DIST)/worker.wasm: $(GO_FILES) $(PRESETS)
	$(WASM) $(GO) build -trimpath -ldflags='-s -w' -o $@ ./cmd/wasm/worker

# The compressed siblings come last: site.json lists the programs' sizes.
$(DIST)/.built: $(DIST)/page.wasm $(DIST)/worker.wasm $(PAGE_FILES) $(PRESETS) DEVIATIONS.md node_modules Makefile
	rm -rf $(DIST)/*.html $(DIST)/css $(DIST)/js $(DIST)/uplot $(DIST)/examples $(DIST)/data $(DIST)/posters $(DIST)/warm
	mkdir $(DIST)/warm $(DIST)/uplot
	cp node_modules/uplot/LICENSE node_modules/uplot/dist/uPlot.esm.js node_modules/uplot/dist/uPlot.min.css $(DIST)/uplot/
	find presets/warm -name '*.gz' -exec cp {} $(DIST)/warm/ \;
	cp -r web/*.html web/*.js web/icon.svg web/css web/js web/examples $(DIST)/
	cp $(GOROOT)/lib/wasm/wasm_exec.js $(DIST)/
	gzip -9 -n -k -f $(DIST)/*.wasm
	$(GO) run ./cmd/wakelab site $(DIST)
	find $(DIST) -type f -name '*.gz' -not -name '*.wasm.gz' -not -path '$(DIST)/warm/*' -delete
	find $(DIST) -type f \( -name '*.html' -o -name '*.css' -o -name '*.js' -o -name '*.mjs' -o -name '*.json' -o -name '*.svg' \) -exec gzip -9 -n -k {} +
	touch $@

test: test-go test-wasm test-page

test-go:
	$(GO) vet ./...
	$(WASM) $(GO) vet ./...
	$(GO) test ./...

# The engine's own tests once more as WebAssembly, golden digests included:
# native and WebAssembly runs must agree.
test-wasm:
	$(WASM_TEST) ./engine/...

test-page: build node_modules
	@test -x "$(CHROMIUM)" || { echo "The browser tests need Chromium: apt-get install chromium, or set CHROMIUM=/path/to/chromium" >&2; exit 1; }
	@# A browser on a busy machine can be too slow once: a file that fails is run again, and says so.
	for f in web/test/*.test.mjs; do \
	  $(NODE_TEST) $$f || { echo "again: $$f"; $(NODE_TEST) $$f || exit 1; }; \
	done

node_modules: package.json package-lock.json
	npm ci
	touch $@

# Output for benchstat. The queue, the coherence model, a wakeup and story A
# are what the engine's speed is made of, a frame what the picture's is;
# bench-wasm runs them in Node. bench-page draws frames in Chromium.
BENCH_COUNT ?= 1
bench:
	$(GO) test -run='^$$' -bench=. -benchmem -count=$(BENCH_COUNT) ./...

bench-wasm:
	$(WASM_TEST) -run='^$$' -bench='Hold|Access|Wakeup|StoryA|Frame' -benchtime=2s -count=$(BENCH_COUNT) ./engine/des ./engine/hw ./engine ./render/scene

bench-page: build
	$(NODE_TEST) web/test/frame.bench.mjs web/test/verdict.bench.mjs

# Settled states of the long studies, to be made again when the model changes.
warm:
	$(GO) run ./cmd/wakelab warm hackbench-epyc9654
	$(GO) run ./cmd/wakelab warm hackbench-patches --kernel wakelist-l2,util-fits,select-bias-prev,util-fits-bias-prev

# Story A in all its configurations, about 40 minutes of a core; what is there
# is not run again.
record:
	$(GO) run ./cmd/wakelab record docs/story-a.json

# What story A's baseline is calibrated on: the kept values first among draws
# from their whole ranges.
calibration:
	$(GO) run ./cmd/wakelab calibrate hackbench-epyc9654 --vary work_scale,line_occupancy_write --tries 22 --for 80ms > docs/calibration-a.txt
	$(GO) run ./cmd/wakelab calibrate hackbench-epyc9654 --vary work_scale=550..760,line_occupancy_write=640..765 --tries 9 --seed 3 --for 160ms >> docs/calibration-a.txt

clean:
	rm -rf $(DIST) node_modules
