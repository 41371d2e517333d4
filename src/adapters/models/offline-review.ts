import { parseDiff } from '../../core/text/diff.js';
import { diffsIn, lookedAt } from './offline-answer.js';
import { findInDiff } from './offline-rules.js';

/** A tool that the rules ask for. */
export interface OfflineCall {
  readonly name: string;
  readonly input: Readonly<Record<string, string | number>>;
}

/** More would be refused. */
const MAX_COMMENTS = 50;

/**
 * What the rules find in the diff of a message as calls of the tools of a review; none where there is no diff, or where
 * those tools are not offered. What is about no line stands in the summary.
 */
export function reviewCalls(message: string, offered: ReadonlySet<string>): readonly OfflineCall[] {
  if (!offered.has('add_review_comment') || !offered.has('submit_review')) return [];
  const diffs = diffsIn(message);
  if (diffs.length === 0) return [];
  const files = diffs.flatMap((diff) => parseDiff(diff));
  const findings = findInDiff(files);
  const comments = findings.flatMap(({ rule, path, line, message: body }) =>
    path === undefined || line === undefined
      ? []
      : [{ name: 'add_review_comment', input: { path, line, rule, body: `${capital(body)}.` } }],
  );
  const others = findings
    .filter(({ line }) => line === undefined)
    .map(({ path, message: body }) => `- ${path === undefined ? '' : `\`${path}\`: `}${body}`);
  const summary = [`${RULES} ${lookedAt(files, diffs)}`, ...(others.length === 0 ? [] : [others.join('\n')])];
  return [
    ...comments.slice(0, MAX_COMMENTS),
    { name: 'submit_review', input: { summary: summary.join('\n\n'), verdict: 'comment' } },
  ];
}

const RULES =
  '**No model wrote this.** It is what `offline/rules` found, a set of fixed rules that understand nothing.';

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
