import { cleanLine } from '../text/cut.js';

/** Arguments by which a call is known, the most telling first. */
const TARGETS = ['path', 'url', 'command', 'query', 'pattern', 'agent', 'title', 'name'];

const TARGET_LENGTH = 60;

/** What a call of a tool is about, in one short line: a path, an address, a command. Empty where its arguments do not say. */
export function callTarget(input: unknown): string {
  const given = typeof input === 'object' && input !== null ? new Map(Object.entries(input)) : new Map();
  const target = TARGETS.map((name) => given.get(name)).find((value) => typeof value === 'string');
  return target === undefined ? '' : cleanLine(target, TARGET_LENGTH);
}
