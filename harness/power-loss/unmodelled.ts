/** A trace that holds what the persistence model does not know: nothing can be derived from it. */
export class Unmodelled extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'Unmodelled';
  }
}
