import { expect } from '@jest/globals';
import type { Outcome } from './replay.js';

/** A step at which we do something else than axe, on purpose. */
export interface Deviation {
  /** Why, and where that was decided. */
  readonly because: string;
  /** What is expected instead of the same parts of axe's outcome. */
  instead(axe: Outcome): Partial<Outcome>;
}

/** A deviation of which these parts are always the same. */
export function differs(because: string, parts: Partial<Outcome>): Deviation {
  return { because, instead: () => parts };
}

/** The deviation on top of another at the same step. */
export function alongWith(first: Deviation, second: Deviation): Deviation {
  return {
    because: `${first.because}; ${second.because}`,
    instead(axe) {
      const changed = { ...axe, ...first.instead(axe) };
      return { ...changed, ...second.instead(changed) };
    },
  };
}

/** One line that starts with the prefix and goes on as the pattern says, with anything but a space by default. */
export function startingWith(prefix: string, rest = '\\S.*'): string {
  const escaped = prefix.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return expect.stringMatching(new RegExp(`^${escaped}${rest}\n$`)) as unknown as string;
}
