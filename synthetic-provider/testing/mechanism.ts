/**
 * What a test needs of its machine beyond Node. A test that is skipped proves nothing, so it is never skipped in silence; and in the gate
 * (`CI`), which runs on Linux and counts syncs with strace, it fails instead.
 */
export function available(mechanism: string, works: boolean): boolean {
  if (works) return true;
  const told = `${mechanism} cannot be used here`;
  if (process.env['CI']) throw new Error(`${told}, and the gate must not pass without the tests that need it.`);
  console.warn(`SKIPPED, NOT PASSED: ${told}, so the tests that need it did not run.`);
  return false;
}
