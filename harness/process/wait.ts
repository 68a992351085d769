/** Waits for an event, but not longer than a time: true when the event came. */
export async function within(event: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([event.then(() => true), over]);
  } finally {
    clearTimeout(timer);
  }
}
