import { compareBytes } from '../../core/text/byte-order.js';

/** As many as a person would mend one by one: agents that all name each other make thousands. */
const MAX_CIRCLES = 20;

/**
 * Agents that call each other in a circle; each circle begins with its first member in byte order. `calls` says whom
 * each one may call. Where circles share members, not every one of them is found, but at least one is; at most 20 are.
 */
export function findCircles(calls: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const circles: (readonly string[])[] = [];
  const done = new Set<string>();
  const visit = (agent: string, way: readonly string[]): void => {
    if (circles.length >= MAX_CIRCLES) return;
    const first = way.indexOf(agent);
    if (first >= 0) circles.push(fromSmallest(way.slice(first)));
    else if (!done.has(agent)) {
      for (const next of new Set(calls.get(agent))) visit(next, [...way, agent]);
      done.add(agent);
    }
  };
  for (const agent of [...calls.keys()].sort(compareBytes)) visit(agent, []);
  return circles;
}

function fromSmallest(circle: readonly string[]): readonly string[] {
  const [smallest = ''] = circle.toSorted(compareBytes);
  const at = circle.indexOf(smallest);
  return [...circle.slice(at), ...circle.slice(0, at)];
}
