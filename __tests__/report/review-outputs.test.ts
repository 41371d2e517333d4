import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { withFindingsConclusion, writeReviewFiles } from '../../src/report/report.js';
import { metGates, type ReviewResult } from '../../src/review/record.js';
import { tempDir } from '../helpers/temp.js';
import { FULL_RECORD, PLAIN_RECORD, REPORT } from '../review/records.js';

const SECRET = 'hunter2-hunter2';

const REVIEW: ReviewResult = {
  agent: 'builtin/pr-reviewer',
  report: {
    ...REPORT,
    findings: [PLAIN_RECORD, { ...FULL_RECORD, state: 'open', body: `It logs ${SECRET}.` }],
  },
  isUnpublished: false,
};

it('the findings conclude a completed run, and no other', () => {
  const [findings, coverage] = metGates(['findings:major', 'coverage'], REVIEW).map((met) => [met]);
  expect(withFindingsConclusion({ conclusion: 'success' }, findings ?? [])).toEqual({
    conclusion: 'findings',
  });
  expect(withFindingsConclusion({ conclusion: 'timeout' }, findings ?? [])).toEqual({
    conclusion: 'timeout',
  });
  expect(withFindingsConclusion({ conclusion: 'success' }, coverage ?? [])).toEqual({
    conclusion: 'success',
  });
});

describe('the files of a review', () => {
  it('hold all findings as JSON and SARIF, without secrets', async () => {
    const temp = tempDir('review-outputs');
    const outputs = await writeReviewFiles(REVIEW, temp, [SECRET]);
    expect(outputs).toEqual({
      'findings-file': join(temp, `axe-action-findings-builtin-pr-reviewer-${REPORT.head}.json`),
      'sarif-file': join(temp, `axe-action-findings-builtin-pr-reviewer-${REPORT.head}.sarif`),
    });
    const [json, sarif] = [outputs['findings-file'], outputs['sarif-file']].map((file) =>
      readFileSync(file ?? '', 'utf8'),
    );
    expect(JSON.parse(json ?? '').findings).toHaveLength(2);
    expect(JSON.parse(sarif ?? '').runs[0].results).toHaveLength(2);
    expect(`${json}${sarif}`).not.toContain(SECRET);
  });

  it('hold nothing invisible and no command to the runner in what people read of SARIF', async () => {
    const record = { ...FULL_RECORD, state: 'open', body: 'a\u202e\n::error::b' } as const;
    const review = { ...REVIEW, report: { ...REPORT, findings: [record] } };
    const outputs = await writeReviewFiles(review, tempDir('review-outputs'), []);
    const [result] = JSON.parse(readFileSync(outputs['sarif-file'] ?? '', 'utf8')).runs[0].results;
    expect(result.message.text).toContain('a\n: :error::b');
  });
});
