/** Paths of which something is known, and with each folder among them all that lies below it. */
export class CoveredPaths {
  private readonly known: ReadonlySet<string>;

  constructor(paths: Iterable<{ readonly path: string }>) {
    this.known = new Set(Array.from(paths, ({ path }) => path));
  }

  has(path: string): boolean {
    if (this.known.size === 0) return false;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      if (this.known.has(path.slice(0, end))) return true;
    return false;
  }
}
