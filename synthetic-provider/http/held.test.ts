import { describe, expect, it } from 'vitest';
import { Held } from './held.js';

describe('waiting for held requests', () => {
  const waits = () => {
    const held = new Held();
    const told: string[] = [];
    const wait = (atLeast: number) => held.wait(atLeast, (count) => told.push(`${atLeast}: ${count}`));
    return { held, told, wait };
  };

  it('ends in the turn in which there are enough at once, each waiter by its own number, once', () => {
    const { held, told, wait } = waits();
    for (const atLeast of [3, 1, 2, 4]) wait(atLeast);
    const requests = [{}, {}, {}, {}];
    const heard = requests.map((request) => {
      held.add(request, () => held.remove(request));
      return told.splice(0);
    });
    expect(heard).toEqual([['1: 1'], ['2: 2'], ['3: 3'], ['4: 4']]);
    wait(4);
    wait(2);
    expect(told).toEqual(['4: 4', '2: 4']);
  });

  it('counts what is held at that moment, and what no release reaches', () => {
    const { held, told, wait } = waits();
    const [gone, late, third] = [{}, {}, {}];
    held.add(gone, () => undefined);
    held.remove(gone);
    wait(2);
    held.add(late, null);
    expect(told).toEqual([]);
    held.add(third, () => held.remove(third));
    expect(told).toEqual(['2: 2']);
    expect(held.release()).toBe(1);
    wait(2);
    wait(1);
    expect(told).toEqual(['2: 2', '1: 1']);
  });

  it('ends with null when there will be no more, and not for who stopped', () => {
    const { held, told, wait } = waits();
    wait(2);
    wait(3)();
    held.add({}, null);
    held.end();
    held.end();
    expect(told).toEqual(['2: null']);
  });
});
