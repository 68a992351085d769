/** Small checks for what a person writes (a scenario, an input): each takes a value and its JSON pointer, and returns the mistakes in words. */
export type Check = ((value: unknown, at: string) => string[]) & { optional?: true };

export const text: Check = (value, at) => (value === '' ? [`${at} is empty`] : anyText(value, at));
/** May be empty. Half of a surrogate pair has no bytes, so no record could hold it. */
export const anyText: Check = (value, at) => {
  if (typeof value !== 'string') return [`${at} is not a text`];
  return value.isWellFormed() ? [] : [`${at} holds half of a surrogate pair`];
};

export function matching(pattern: RegExp, what: string): Check {
  return (value, at) => (typeof value === 'string' && pattern.test(value) ? [] : [`${at} is not ${what}`]);
}
export const flag: Check = (value, at) => (typeof value === 'boolean' ? [] : [`${at} is neither true nor false`]);
export const count: Check = (value, at) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? [] : [`${at} is not a count`];

export function between(least: number, most: number): Check {
  return (value, at) =>
    count(value, at).length === 0 && (value as number) >= least && (value as number) <= most
      ? []
      : [`${at} is not a number from ${least} to ${most}`];
}

export function choice(...allowed: readonly (string | number)[]): Check {
  return (value, at) => (allowed.includes(value as string) ? [] : [`${at} is none of ${allowed.join(', ')}`]);
}

/** What canonical JSON can hold, and so a hash: no other number than a safe integer, no half of a surrogate pair. */
export const json: Check = (value, at) => {
  if (Array.isArray(value)) return value.flatMap((item, index) => json(item, `${at}/${index}`));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, item]) => [
      ...(name.isWellFormed() ? [] : [`${at} has a name with half of a surrogate pair`]),
      ...json(item, `${at}/${name}`),
    ]);
  if (typeof value === 'string') return anyText(value, at);
  const plain = value === null || typeof value === 'boolean' || (Number.isSafeInteger(value) && !Object.is(value, -0));
  return plain ? [] : [`${at} is a number that is no safe integer`];
};

export const jsonObject: Check = (value, at) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? json(value, at) : [`${at} is not an object`];

export function nullable(check: Check): Check {
  return (value, at) => (value === null ? [] : check(value, at));
}

export function optional(check: Check): Check {
  return Object.assign(((value, at) => check(value, at)) as Check, { optional: true as const });
}

export function list(check: Check): Check {
  return (value, at) =>
    Array.isArray(value) ? value.flatMap((item, index) => check(item, `${at}/${index}`)) : [`${at} is not a list`];
}

export function nonEmpty(check: Check): Check {
  return (value, at) => (Array.isArray(value) && value.length === 0 ? [`${at} is empty`] : check(value, at));
}

export function object(members: Readonly<Record<string, Check>>): Check {
  return (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at === '' ? 'it' : at} is not an object`];
    const unknown = Object.keys(value)
      .filter((name) => !Object.hasOwn(members, name))
      .map((name) => `${at}/${name} is not known`);
    return Object.entries(members).reduce((problems, [name, check]) => {
      if (Object.hasOwn(value, name)) return problems.concat(check((value as Record<string, unknown>)[name], `${at}/${name}`));
      return check.optional ? problems : problems.concat(`${at}/${name} is missing`);
    }, unknown);
  };
}

/** An object whose member `name` says which of several it is; `shared` members belong to all of them. */
export function oneOf(
  name: string,
  shapes: Readonly<Record<string, Readonly<Record<string, Check>>>>,
  shared: Readonly<Record<string, Check>> = {},
): Check {
  const kinds = Object.keys(shapes);
  return (value, at) => {
    const kind: unknown = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
    const members = typeof kind === 'string' && Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
    if (members === undefined) return [`${at}/${name} is none of ${kinds.join(', ')}`];
    return object({ [name]: choice(...kinds), ...shared, ...members })(value, at);
  };
}
