import { count } from '../../core/text/number.js';

/** What was looked at, in the order in which it is shown. */
const CHECK_GROUPS = ['Agents', 'Workflows', 'Models', 'GitHub', 'Memory', 'Event'] as const;

/** One thing that was looked at. */
export interface Check {
  readonly group: (typeof CHECK_GROUPS)[number];
  /** `note`: nothing is wrong, and it is worth knowing. `unchecked`: it was not looked at. */
  readonly status: 'ok' | 'note' | 'warning' | 'error' | 'unchecked';
  /** One sentence without its full stop. */
  readonly message: string;
  readonly remedy?: string | undefined;
}

/** Whether nothing is wrong; warnings are not. */
export function isHealthy(checks: readonly Check[]): boolean {
  return checks.every(({ status }) => status !== 'error');
}

/** For people: by group, a line each, with the remedy below. */
export function formatChecks(checks: readonly Check[]): readonly string[] {
  const groups = CHECK_GROUPS.flatMap((group) => {
    const own = checks.filter((check) => check.group === group);
    return own.length === 0 ? [] : [group, ...own.flatMap(formatCheck), ''];
  });
  return [...groups, summary(checks)];
}

const WIDTH = 'unchecked'.length;

function formatCheck({ status, message, remedy }: Check): readonly string[] {
  const [first = '', ...more] = message.split('\n');
  const below = [...more, ...(remedy === undefined ? [] : remedy.split('\n'))];
  return [`  ${status.padEnd(WIDTH)}  ${first}`, ...below.map((line) => `  ${' '.repeat(WIDTH)}  ${line}`)];
}

function summary(checks: readonly Check[]): string {
  const parts = (['error', 'warning'] as const).flatMap((status) => {
    const number = checks.filter((check) => check.status === status).length;
    return number === 0 ? [] : [count(number, status)];
  });
  return parts.length === 0 ? 'Nothing is wrong.' : `${parts.join(', ')}.`;
}

/** For programs: one line of JSON. */
export function formatChecksJson(checks: readonly Check[]): string {
  const all = checks.map(({ group, status, message, remedy }) => ({
    group: group.toLowerCase(),
    status,
    message,
    remedy: remedy ?? null,
  }));
  return JSON.stringify({ healthy: isHealthy(checks), checks: all });
}
