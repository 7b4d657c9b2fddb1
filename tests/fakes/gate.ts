/** Something that a test lets through when it likes. */
export class Gate {
  readonly #passed = Promise.withResolvers<void>();

  /** Resolves once the gate is open. */
  get passed(): Promise<void> {
    return this.#passed.promise;
  }

  /** Opens it. */
  open(): void {
    this.#passed.resolve();
  }
}
