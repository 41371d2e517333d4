import { readOwnFiles } from '../adapters/github/agents/own-files.js';
import type { GitHubClient } from '../adapters/github/client/client.js';
import { findOrCreateIssue, listClosedIssues } from '../adapters/github/posting/issues.js';
import { listClosedPulls, proposePull } from '../adapters/github/posting/pull-request.js';
import { createFetch } from '../adapters/host/net/http.js';
import { collectAgentMemory } from '../commands/gc/gc-memory.js';
import type { Suggesting } from '../commands/gc/suggest.js';
import { AGENTS_DIRS } from '../composition/agents.js';
import { connectGitHub } from '../composition/github.js';
import type { Dependencies } from '../core/dependencies.js';
import type { Repository, Trigger } from '../core/event/trigger.js';
import type { ProposalResult, Proposals } from '../core/gc/proposal.js';
import { memoryName } from '../core/memory/log-path.js';
import { formatMark, type Mark, readMark } from '../core/sanitize/mark.js';
import { sanitize } from '../core/sanitize/sanitize.js';
import type { RunReport, RunRequest } from '../run/request.js';
import type { Inputs } from './inputs/inputs.js';
import { type Runner, readThisRun } from './runner/runner.js';

/** What `mode: gc` works with. */
export interface GcModeParts {
  readonly inputs: Inputs;
  readonly request: RunRequest;
  readonly trigger: Trigger;
  readonly runner: Runner;
  readonly secrets: readonly string[];
}

/** Garbage collection instead of a run, with its suggestions where the workflow wants them. Throws an AxeError. */
export async function runGcMode(parts: GcModeParts, deps: Dependencies): Promise<RunReport> {
  const { inputs, request, trigger, runner, secrets } = parts;
  const { env, workspace } = runner;
  const wants = inputs.publish.reportTo !== '';
  const client = wants
    ? await connectGitHub({
        token: inputs.githubToken,
        env,
        fetch: createFetch(env),
        clock: deps.clock,
        log: (line) => runner.log(sanitize(line, 'log', secrets)),
      })
    : undefined;
  const suggesting = createSuggesting({
    as: inputs.publish.reportTo,
    client,
    trigger,
    agentsDir: inputs.agentsDir,
    workspace,
    runUrl: readThisRun(env).runUrl,
    secrets,
  });
  if (wants && suggesting === undefined) {
    const message =
      'the suggestions are in the job summary alone, since `report-to` needs a `github-token`. Leave that input out to use the token of the job.';
    deps.reporter.warn({ code: 'input-invalid', message });
  }
  return await collectAgentMemory({ ...request, suggesting }, deps);
}

/** What suggestions are put up with. */
interface SuggestingParts {
  readonly as: Inputs['publish']['reportTo'];
  readonly client: GitHubClient | undefined;
  readonly trigger: Trigger;
  readonly agentsDir: string;
  readonly workspace: string;
  readonly runUrl: string;
  readonly secrets: readonly string[];
}

/** What becomes of the recommendations; undefined where they stay in the summary. */
function createSuggesting(parts: SuggestingParts): Suggesting | undefined {
  const { as, client, trigger } = parts;
  if (as === '' || client === undefined || trigger.kind === 'local') return undefined;
  return { as, proposals: createProposals(client, trigger.repository, parts) };
}

function createProposals(client: GitHubClient, repository: Repository, parts: SuggestingParts): Proposals {
  const { agentsDir, workspace, secrets } = parts;
  const clean = (markdown: string) => sanitize(markdown, 'comment', secrets);
  const cleanTitle = (title: string) => sanitize(title, 'title', secrets);
  return {
    isHere: ({ repository: from }) =>
      from === undefined || from.toLowerCase() === `${repository.owner}/${repository.name}`.toLowerCase(),
    readClosed: async (agent, as, signal) => {
      const closed =
        as === 'issue'
          ? await listClosedIssues(client, { repository, mark: markOf(agent) }, signal)
          : await listClosedPulls(client, { repository, branch: branchOf(agent) }, signal);
      return closed.map((each) => ({ ...each, digest: digestOf(each.body) }));
    },
    readOwn: ({ name, config }, signal) =>
      readOwnFiles(
        { client, repository, ref: repository.defaultBranch },
        {
          name,
          skill: config.skill,
          agentsDirs: agentsDir === '' ? AGENTS_DIRS : [agentsDir, ...AGENTS_DIRS],
          workspace,
        },
        signal,
      ),
    openPullRequest: async (agent, { title, reason, files, digest }, signal) =>
      asProposal(
        await proposePull(
          client,
          {
            repository,
            branch: branchOf(agent),
            mark: markOf(agent),
            title: cleanTitle(title),
            // Words of a model could close issues from here.
            message: `Carry out what gc suggests for ${memoryName(agent)}`,
            body: [
              formatMark(markOf(agent)),
              digestLine(digest),
              clean(reason),
              '',
              footer(agent, parts),
            ].join('\n'),
            files: new Map([...files].map(([path, text]) => [path, sanitize(text, 'output', secrets)])),
          },
          signal,
        ),
      ),
    openIssue: async (agent, { analysis, digest, because }, signal) =>
      asProposal(
        await findOrCreateIssue(
          client,
          {
            repository,
            mark: markOf(agent),
            title: cleanTitle(`What the memory of ${memoryName(agent)} suggests`),
            body: [
              formatMark(markOf(agent)),
              digestLine(digest),
              clean(analysis),
              '',
              ...(because === undefined ? [] : [because, '']),
              footer(agent, parts),
            ].join('\n'),
            labels: [],
            ifFound: { kind: 'update' },
          },
          signal,
        ),
      ),
  };
}

/** What a model suggests may come from any lane. */
function markOf(agent: string): Mark {
  return { kind: 'gc', agent: memoryName(agent), lane: 'untrusted' };
}

function branchOf(agent: string): string {
  return `axe-gc/${memoryName(agent)}`;
}

/** By which a proposal that was closed is known again. */
function digestLine(digest: string): string {
  return formatMark({ kind: 'digest', digest, lane: 'untrusted' });
}

function digestOf(body: string): string | undefined {
  const marks = body.split('\n').map((line) => readMark(line));
  const { digest } = marks.find(({ kind }) => kind === 'digest') ?? readMark();
  return typeof digest === 'string' ? digest : undefined;
}

function footer(agent: string, { runUrl }: SuggestingParts): string {
  const run = runUrl === '' ? 'a run of `mode: gc`' : `[a run of \`mode: gc\`](${runUrl})`;
  return `Suggested by ${run} from what \`${memoryName(agent)}\` remembers. A model wrote it; nothing changes until a person acts on it.`;
}

function asProposal(
  result: Awaited<ReturnType<typeof proposePull>> | Awaited<ReturnType<typeof findOrCreateIssue>>,
): ProposalResult {
  if (result.kind === 'failed') return result;
  return { kind: 'published', url: result.url, created: result.created };
}
