/** What Jest reports about a test. */
export interface ReportedTest {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
}

/** How a row of the corpus ended. */
export interface RowReport {
  readonly row: string;
  readonly sentence: string;
  /** `named`: SECURITY.md says why no test plays it. */
  readonly state: 'passed' | 'failed' | 'named' | 'missing';
  readonly tests: number;
}

/** What the rows are reported from. */
export interface RowSources {
  readonly corpus: readonly (readonly [row: string, sentence: string])[];
  readonly tests: readonly ReportedTest[];
  /** The text of SECURITY.md. */
  readonly security: string;
}

/** Reports every row of the corpus, in order. */
export function reportRows({ corpus, tests, security }: RowSources): readonly RowReport[] {
  const statuses = new Map<string, string[]>();
  for (const test of tests) {
    if (test.status !== 'passed' && test.status !== 'failed') continue;
    for (const row of rowsOf(test)) statuses.set(row, [...(statuses.get(row) ?? []), test.status]);
  }
  const named = namedRows(security);
  return corpus.map(([row, sentence]) => {
    const ends = statuses.get(row) ?? [];
    const played = ends.includes('failed') ? 'failed' : 'passed';
    const unplayed = named.has(row) ? 'named' : 'missing';
    return { row, sentence, state: ends.length === 0 ? unplayed : played, tests: ends.length };
  });
}

/** The numbers in titles or in SECURITY.md that the corpus does not list. */
export function unlistedRows({ corpus, tests, security }: RowSources): readonly string[] {
  const used = new Set([...tests.flatMap((test) => rowsOf(test)), ...namedRows(security)]);
  for (const [row] of corpus) used.delete(row);
  return [...used];
}

/**
 * The rows that a test plays: those whose number begins its title or the title of a `describe`
 * around it.
 */
function rowsOf({
  ancestorTitles,
  title,
}: Pick<ReportedTest, 'ancestorTitles' | 'title'>): readonly string[] {
  return [...ancestorTitles, title].flatMap((part) => /^(C\d+ \d+): /.exec(part)?.[1] ?? []);
}

/** The rows that SECURITY.md names, each at the beginning of an item of a list. */
function namedRows(security: string): ReadonlySet<string> {
  return new Set([...security.matchAll(/^- \**(C\d+ \d+)\b/gm)].map(([, row = '']) => row));
}

/** One line for each row, as `npm run test:hostile` prints it. */
export function formatRow({ row, sentence, state, tests }: RowReport): string {
  const count = tests === 0 ? '' : ` (${tests} ${tests === 1 ? 'test' : 'tests'})`;
  return `${row.padEnd(6)}  ${state.padEnd(7)}  ${sentence}${count}`;
}
