import { count } from '../core/text/number.js';

/** What is looked at, in the order in which it is shown. */
const GROUPS = ['Agents', 'Models', 'GitHub', 'Memory'] as const;

/** One thing that was looked at. */
export interface Check {
  readonly group: (typeof GROUPS)[number];
  /** `note`: nothing is wrong, and it is worth knowing. */
  readonly status: 'ok' | 'note' | 'warning' | 'error';
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
  const groups = GROUPS.flatMap((group) => {
    const own = checks.filter((check) => check.group === group);
    return own.length === 0 ? [] : [group, ...own.flatMap(formatCheck), ''];
  });
  const parts = (['error', 'warning'] as const).flatMap((status) => {
    const number = checks.filter((check) => check.status === status).length;
    return number === 0 ? [] : [count(number, status)];
  });
  return [...groups, parts.length === 0 ? 'Nothing is wrong.' : `${parts.join(', ')}.`];
}

function formatCheck({ status, message, remedy = '' }: Check): readonly string[] {
  const [first = '', ...more] = `${message}\n${remedy}`.trimEnd().split('\n');
  return [`  ${status.padEnd(7)}  ${first}`, ...more.map((line) => `           ${line}`)];
}
