// The parameters that a reader has changed from the study's, with undo and
// redo.

import { studyValue } from "./link.mjs";

export class Settings extends EventTarget {
  #study;
  #set; // {key: text}; values the study has itself are not in it
  #undo = []; // earlier sets
  #redo = [];
  #sliding; // the key that a slider is still moving

  constructor(study, set) {
    super();
    this.#study = study;
    this.#set = set;
  }

  // {key: text} of what is changed.
  get set() {
    return { ...this.#set };
  }

  get study() {
    return this.#study;
  }

  get canUndo() {
    return this.#undo.length > 0;
  }

  get canRedo() {
    return this.#redo.length > 0;
  }

  // The parameter's value in text as it is now; undefined if the study's
  // kernels set it to several values.
  value(param) {
    return this.#set[param.key] ?? this.before(param);
  }

  isChanged({ key }) {
    return key in this.#set;
  }

  // Sets a parameter to a value that it allows. The steps of one slider are
  // one change.
  change(param, value, { sliding = false } = {}) {
    const { [param.key]: _, ...others } = this.#set;
    const next = value === this.before(param) ? others : { ...others, [param.key]: value };
    if (this.value(param) === value) return;
    const goesOn = sliding && this.#sliding === param.key;
    this.#put(next, goesOn);
    this.#sliding = sliding ? param.key : undefined;
  }

  // Takes a parameter, or all, back to the study's.
  reset(param) {
    if (param ? !this.isChanged(param) : Object.keys(this.#set).length === 0) return;
    const { [param?.key]: _, ...others } = this.#set;
    this.#put(param ? others : {});
  }

  // The study's kernels that set a parameter themselves, [{title, value}]: a
  // change of it concerns them alone.
  owners({ key }) {
    return this.#study.kernels.filter(({ values }) => key in values).map(({ title, values }) => ({ title, value: values[key] }));
  }

  // A parameter's value in kernels that do not set it.
  common({ key, default: value }) {
    return this.#study.values[key] ?? value;
  }

  // A parameter's value in the study as it is; undefined as in value.
  before(param) {
    return studyValue(this.#study, param);
  }

  undo() {
    this.#go(this.#undo, this.#redo);
  }

  redo() {
    this.#go(this.#redo, this.#undo);
  }

  // Another study, as it is; its parameters are others, so nothing is undone.
  useStudy(study) {
    this.#study = study;
    this.#undo = [];
    this.#redo = [];
    this.#show({});
  }

  #put(set, goesOn = false) {
    if (!goesOn) this.#undo.push(this.#set);
    this.#redo = [];
    this.#show(set);
  }

  #go(from, to) {
    if (from.length === 0) return;
    to.push(this.#set);
    this.#show(from.pop());
  }

  #show(set) {
    this.#set = set;
    this.#sliding = undefined;
    this.dispatchEvent(new Event("change"));
  }
}
