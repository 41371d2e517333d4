import { severityMark } from '../../core/review/comment-text.js';
import { lessonsOf } from '../../core/review/finding-facts.js';
import { parseReviewFacts } from '../../core/review/state-facts.js';
import { parseDiff } from '../../core/text/diff.js';
import type { DemoEvent } from './demo-pull-request.js';

/** Tells the demo, a part at a time. */
export interface DemoPrinter {
  intro(reviewer: string): void;
  commit(commit: ShownCommit): void;
  events(events: readonly DemoEvent[]): void;
  answer(answer: { readonly by: string; readonly text: string }): void;
  /** The run log and the state next to it, as they are in their files. */
  memory(runLog: string, state: string): void;
  end(isWhole: boolean): void;
}

/** A commit that is about to be reviewed. */
interface ShownCommit {
  readonly number: number;
  readonly of: number;
  readonly head: string;
  readonly subject: string;
  /** What it changes. */
  readonly diff: string;
}

const WIDTH = 76;
const SHORT_SHA = 7;

/** Writes the demo as plain lines. */
export function createDemoPrinter(write: (line: string) => void): DemoPrinter {
  const heading = (text: string) => write(`\n── ${text} ${'─'.repeat(Math.max(3, WIDTH - text.length - 4))}`);
  return {
    intro(reviewer) {
      write('One pull request, three commits, and what becomes of two findings.');
      write(`Reviewer: ${reviewer}, a set of fixed rules. No key, no network.`);
    },
    commit({ number, of, head, subject, diff }) {
      heading(`Commit ${number} of ${of} · ${head.slice(0, SHORT_SHA)} · ${subject}`);
      for (const line of changedLines(diff)) write(`   ${line}`);
      write('');
    },
    events(events) {
      for (const event of events) for (const line of describe(event)) write(line);
      if (events.every(({ kind }) => kind !== 'raised')) write('   No new comment.');
    },
    answer({ by, text }) {
      write(`\n   @${by} answers the comment on the TODO: “${text}”`);
    },
    memory(runLog, state) {
      heading('What it remembers, in two markdown files');
      write('pr-reviewer.md: an entry for each review. The next review is given them.');
      for (const line of resultsIn(runLog)) write(`   ${line}`);
      write(
        'pr-reviewer.state.md: what became of findings. No model reads it, and it contains none of your words.',
      );
      for (const line of endsIn(state)) write(`   ${line}`);
    },
    end(isWhole) {
      heading(isWhole ? 'That was the whole life of a finding' : 'This is not what the demo promises');
      write(
        isWhole
          ? 'Raised once, dismissed by an answer, fixed by a push, back in its own conversation.\nNext: the quick start of the README puts it on your own pull requests.'
          : 'Please report this.',
      );
    },
  };
}

function changedLines(diff: string): readonly string[] {
  return parseDiff(diff)
    .flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines))
    .flatMap(({ kind, text }) => (kind === 'context' ? [] : [`${kind === 'added' ? '+' : '-'} ${text}`]));
}

function describe({ kind, title, severity, path, line }: DemoEvent): readonly string[] {
  const place = line === undefined ? path : `${path}:${line}`;
  const [mark, fate] = fateOf(kind, severity);
  return [`${mark} ${title} · ${place}`, `   ${fate}`];
}

function fateOf(kind: DemoEvent['kind'], severity: string): readonly [mark: string, fate: string] {
  switch (kind) {
    case 'raised':
      return [markOf(severity), `raised as ${severity}: a comment on the line`];
    case 'settled':
      return ['✅', 'settled: the push removed the line, and the conversation is resolved'];
    case 'gone':
      return ['✅', 'outdated: its line was removed, and the conversation is resolved'];
    case 'dismissed':
      return ['🗑️ ', 'dismissed by the answer, and remembered for every pull request'];
    case 'back':
      return ['↩️ ', 'back: its old conversation is open again, instead of a new comment'];
    case 'held-back':
      return ['🔇', 'found again in other words, and not raised: it was dismissed'];
  }
}

function markOf(severity: string): string {
  switch (severity) {
    case 'critical':
    case 'major':
    case 'minor':
    case 'nit':
      return severityMark(severity);
    default:
      return '•';
  }
}

/** The first line of each result: what was posted. */
function resultsIn(runLog: string): readonly string[] {
  return [...runLog.matchAll(/^\*\*Result:\*\* (.*)$/gm)].map(([, line = '']) => `- ${line}`);
}

function endsIn(state: string): readonly string[] {
  const { lessons } = lessonsOf(parseReviewFacts(state));
  return lessons.map(
    ({ path, category, by }) => `- dismissed by @${by}: ${category}, ${path}, hashes of its words and line`,
  );
}
