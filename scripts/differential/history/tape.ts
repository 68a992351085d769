/** The numbers that decide everything about a history; a failing one shrinks with them. When the tape is at its end, everything is 0. */
export class Tape {
  private at = 0;

  constructor(private readonly numbers: readonly number[]) {}

  get isOver(): boolean {
    return this.at >= this.numbers.length;
  }

  /** From 0 to `sides` - 1. */
  number(sides: number): number {
    const value = this.numbers[this.at] ?? 0;
    this.at += 1;
    return value % sides;
  }

  one<T>(options: readonly T[]): T {
    return options[this.number(options.length)] as T;
  }

  /** Once in so many times. */
  isOnce(times: number): boolean {
    return this.number(times) === times - 1;
  }
}
