/** A pure function of one part of the evidence, worked out once for each: an arm and its variants have most of their parts in common. */
export function once<Part extends object, Result>(derive: (part: Part) => Result): (part: Part) => Result {
  const known = new WeakMap<Part, { readonly result: Result }>();
  return (part) => {
    const before = known.get(part);
    if (before !== undefined) return before.result;
    const result = derive(part);
    known.set(part, { result });
    return result;
  };
}
