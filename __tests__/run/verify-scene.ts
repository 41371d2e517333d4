import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { RunRequest } from '../../src/run/records.js';
import { runPipeline } from '../../src/run/run.js';
import {
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { call, createFakeModel, type FakeReply, reply, says } from '../helpers/model-fake.js';
import { WRITER } from '../helpers/reports.js';
import { pullRequest } from '../helpers/triggers.js';

/** A change of one file with many lines. */
const DIFF = `diff --git a/src/big.ts b/src/big.ts
new file mode 100644
--- /dev/null
+++ b/src/big.ts
@@ -0,0 +1,900 @@
${Array.from({ length: 900 }, (_, index) => `+const value${index + 1} = source${index + 1}();`).join('\n')}
`;

/** What a model raises on a line of it. */
export function raises(line: number, patch: Readonly<Record<string, unknown>> = {}) {
  return call(`raise-${line}`, 'add_review_comment', {
    path: 'src/big.ts',
    line,
    code: `const value${line} = source${line}();`,
    title: `source${line} can be empty`,
    body: `\`source${line}\` gives nothing where the table has no row, and \`value${line}\` is used all the same.`,
    category: 'correctness',
    effect: 'wrong-result',
    reach: 'common',
    ...patch,
  });
}

/** A verifier's verdict. */
export function verdict(input: Readonly<Record<string, unknown>>) {
  return reply([call('v', 'give_verdict', { reason: 'Because.', ...input })]);
}

/** A verifier that finds that every claim holds. */
export const agrees: FakeReply = async (asked) => {
  const claims = askedText(asked).match(/^Claim \d+, on/gm) ?? [];
  return reply(
    claims.map((_, index) =>
      call(`v${index}`, 'give_verdict', {
        verdict: 'holds',
        claim: index + 1,
        reason: 'Followed.',
      }),
    ),
  );
};

/** Text of the user message of a request. */
export function askedText({ prompt }: LanguageModelV4CallOptions): string {
  const user = prompt.find(({ role }) => role === 'user');
  if (user?.role !== 'user') throw new Error('no user message');
  return user.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

/**
 * Runs a review of {@link DIFF} with a model of its own for the second look; `raised` are calls
 * turn after turn.
 */
export async function runVerified({
  raised = [[raises(10)]],
  replies,
  parts = {},
  request = {},
}: {
  readonly raised?: readonly (readonly ReturnType<typeof raises>[])[];
  /** What the verifiers reply. */
  readonly replies: readonly FakeReply[];
  readonly parts?: FakeDependenciesParts;
  readonly request?: Partial<RunRequest>;
}) {
  const reviewer = createFakeModel(
    [...raised.map((calls) => reply(calls, { inputTokens: 100 })), says('Found things.')],
    'm',
  );
  const verifier = createFakeModel(replies, 'v');
  const agent = `name = "bot"\nmodel = "p/m"\nsystem_prompt = "You review."\ntools = ["add_review_comment"]\n[review]\nverify_model = "p/v"\n`;
  const deps = createFakeDependencies({
    agents: { bot: agent },
    models: { 'p/m': reviewer, 'p/v': verifier },
    permissions: WRITER,
    context: {
      kind: 'pull_request',
      diff: DIFF,
      files: [{ path: 'src/big.ts', status: 'added', additions: 900, deletions: 0 }],
      filesTotal: 1,
      warnings: [],
    },
    ...parts,
  });
  const report = await runPipeline(
    makeRequest({
      trigger: pullRequest(),
      review: { depth: 'standard' },
      inWorkflow: true,
      ...request,
    }),
    deps,
  );
  if (report.kind !== 'ran') throw new Error(`the run was ${report.kind}`);
  return { deps, report, buffered: report.buffered, verifier };
}
