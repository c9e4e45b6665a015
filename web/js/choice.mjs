// The form that says what to run: study, two kernels, seed.

export class Choice {
  #form;
  #studies;
  #settings;

  // The text of a machine preset that stands for the study's machine, or
  // undefined.
  machine;

  // link says what the address asked for, settings what else is changed;
  // onStudy(study) is called at first and when another study is chosen.
  constructor(form, studies, link, settings, onStudy) {
    this.#form = form;
    this.#studies = studies;
    this.#settings = settings;
    this.machine = link.machine;
    fill(form.study, studies);
    form.study.value = link.study.id;
    if (link.set.seed !== undefined) form.seed.value = link.set.seed;
    form.study.addEventListener("change", () => {
      this.#useStudy(onStudy);
      settings.useStudy(this.study);
    });
    this.#useStudy(onStudy);
    form["kernel-a"].value = link.kernels[0];
    form["kernel-b"].value = link.kernels[1];
    for (const control of form.elements) control.disabled = false;
  }

  get study() {
    return this.#studies.find(({ id }) => id === this.#form.study.value);
  }

  // The chosen kernels' ids, A and B.
  get kernels() {
    return [this.#form["kernel-a"].value, this.#form["kernel-b"].value];
  }

  set kernels([a, b]) {
    this.#form["kernel-a"].value = a;
    this.#form["kernel-b"].value = b;
  }

  // The parameters that differ from the study's, {key: text}.
  get set() {
    return { ...this.#settings.set, seed: this.#form.seed.value };
  }

  #useStudy(onStudy) {
    const { kernels } = this.study;
    fill(this.#form["kernel-a"], kernels);
    fill(this.#form["kernel-b"], kernels);
    this.#form["kernel-b"].selectedIndex = Math.min(1, kernels.length - 1);
    onStudy(this.study);
  }
}

function fill(select, entries) {
  select.replaceChildren(...entries.map(({ id, title }) => new Option(title, id)));
}
