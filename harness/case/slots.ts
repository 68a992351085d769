/**
 * Bounds how many snapshots are taken at once (`--jobs`): first come, first served. A race brings all its processes in one slot.
 */
export interface Slots {
  use<T>(work: () => Promise<T>): Promise<T>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    use: async (work) => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
