import { expect, it } from '@jest/globals';
import {
  type BufferedPublications,
  DEFAULT_PUBLISH_RULES,
} from '../../../src/findings/buffered-publications.js';
import { applyToLedger } from '../../../src/findings/decide/ledger.js';
import type { CommentRequest } from '../../../src/findings/decide/take-finding.js';
import {
  findingRecords,
  findingsDocument,
  formatSarif,
  raisedRecords,
} from '../../../src/findings/post/record.js';
import { mergePasses, PublicationBuffer } from '../../../src/findings/publication-buffer.js';
import { scopeRest } from '../change.js';
import { REPORT } from '../records.js';
import { ledgerOf } from '../threads.js';
import { DIFF, HEAD, LINES, lineOf, shownFiles } from './scene.js';

const AUDIT = lineOf("audit.write('read', id, store);");
const DRY = lineOf('if (options.dry) {');

const LOGGED = {
  path: 'src/ledger.ts',
  line: AUDIT,
  code: HEAD[AUDIT - 1] ?? '',
  title: 'The whole account is written to the log',
  body: 'The log has the balance of everybody.',
  category: 'security',
  effect: 'breach',
  reach: 'rare',
} satisfies CommentRequest;

const UNAWAITED: CommentRequest = { ...LOGGED, title: 'Nobody waits until the line is written' };
const PREEXISTING: CommentRequest = {
  ...LOGGED,
  line: DRY,
  code: HEAD[DRY - 1] ?? '',
  title: 'A dry run returns nothing',
};
const MILD: CommentRequest = { ...LOGGED, title: 'The name is odd', effect: 'upkeep' };
const UNSEEN: CommentRequest = { ...LOGGED, path: 'src/no.ts', title: 'The file is left open' };

/** What a pass of a first review keeps of these calls. */
function takenOf(...requests: readonly CommentRequest[]): BufferedPublications {
  const review = {
    ...scopeRest(DIFF),
    lines: LINES,
    ledger: ledgerOf([]),
    shown: shownFiles(30, 42),
  };
  const buffer = new PublicationBuffer({ rules: DEFAULT_PUBLISH_RULES, review, subject: 42 });
  for (const request of requests) buffer.addComment(request);
  return buffer.buffered;
}

/** The titles in `findings.json`, and how many results are in SARIF, of a run with a pull request. */
function writtenOf(buffered: BufferedPublications) {
  const ledger = ledgerOf([]);
  const news = applyToLedger(ledger, buffered, new Set(), LINES);
  const inLedger = findingRecords({ ledger, news, buffered });
  return [inLedger, raisedRecords(buffered)].map((findings) => {
    const report = { ...REPORT, findings };
    const document = JSON.parse(JSON.stringify(findingsDocument(report)));
    const tool = { version: '1', agent: 'bot', isSuccessful: true, clean: (text: string) => text };
    const sarif = JSON.parse(formatSarif(report, tool));
    return {
      titles: document.findings.map(({ title }: { title: string }) => title).toSorted(),
      counted: [document.counts.total, document.counts.states.open],
      results: sarif.runs[0].results.length,
    };
  });
}

const TWO = { titles: [UNAWAITED.title, LOGGED.title].toSorted(), counted: [2, 2], results: 2 };

it.each([
  ['in one run', takenOf(LOGGED, UNAWAITED)],
  ['in two passes', mergePasses([takenOf(LOGGED), takenOf(UNAWAITED)], 10)],
  ['that two passes have found', mergePasses([takenOf(LOGGED, UNAWAITED), takenOf(LOGGED)], 10)],
])('two faults on one line are two for other programs, %s', (_, buffered) => {
  expect(writtenOf(buffered)).toEqual([TWO, TWO]);
});

it('other programs get nothing of what was refused or is not from this change', () => {
  const buffered = takenOf(LOGGED, PREEXISTING, MILD, UNSEEN, UNSEEN);
  expect(buffered.preexisting).toHaveLength(1);
  expect(buffered.refusedFindings.map(({ code }) => code)).toEqual(['too-mild', 'unseen']);
  const written = { titles: [LOGGED.title], counted: [1, 1], results: 1 };
  expect(writtenOf(buffered)).toEqual([written, written]);
});
