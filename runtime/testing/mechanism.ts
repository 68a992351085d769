/**
 * What a test needs of its machine beyond Node. A test that is skipped proves nothing, so it is never skipped in silence. Without strace
 * the gate (`CI`) cannot pass anyway, since its bench counts syncs with it; there such a test fails instead. Everything else is said aloud.
 */
export function available(mechanism: string, works: boolean): boolean {
  if (works) return true;
  const told = `${mechanism} cannot be used here`;
  if (process.env['CI'] && mechanism === 'strace')
    throw new Error(`${told}, and the gate must not pass without the tests that need it.`);
  console.warn(`SKIPPED, NOT PASSED: ${told}, so the tests that need it did not run.`);
  return false;
}
