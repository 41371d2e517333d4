/** Does work on each item, on so many at the same time, and gives what came of it in the order of the items. */
export async function atMost<Item, Result>(
  width: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const queue = [...items.entries()];
  const done = new Map<number, Result>();
  const next = async () => {
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
      const [index, item] = entry;
      done.set(index, await work(item, index));
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, next));
  return [...done].toSorted(([a], [b]) => a - b).map(([, result]) => result);
}
