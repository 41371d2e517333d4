import type { LoadedAgent } from '../agent/agent-source.js';
import { type AgentLoader, createAgentLoader } from '../agent/loader.js';
import { refPlace } from '../agent/read-ref.js';
import { isRepository, type Repository, type Trigger } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import { listClosedPulls, proposeChange } from '../github/posting/commit-edits.js';
import { findIssues, findOrCreateIssue } from '../github/posting/issues.js';
import { locationOf } from '../github/reading/contents.js';
import { createClock } from '../lib/clock.js';
import { AxeError, ConfigError, NotFoundError } from '../lib/errors.js';
import { readCheckedOut } from '../lib/git.js';
import { createFetch } from '../lib/net/http.js';
import { encodeBytes } from '../lib/text/bytes.js';
import { paragraphs } from '../lib/text/format.js';
import { memoryName } from '../memory/paths.js';
import { modelProblem } from '../model/model-access.js';
import { formatStaleLines } from '../report/format-memory.js';
import { dirsAtRef, localAgents } from '../run/agents.js';
import type { Dependencies } from '../run/dependencies.js';
import {
  hasRecommendations,
  type OwnFiles,
  PROPOSAL_PROMPT,
  proposalMessage,
  readProposal,
  recommendationsDigest,
} from '../run/gc/analysis.js';
import { collectAgentMemory, type Suggest } from '../run/gc/gc.js';
import type { Suggestion } from '../run/gc-result.js';
import { connectGitHub } from '../run/github.js';
import type { RunReport, RunRequest } from '../run/records.js';
import { type ValidationDependencies, validateAgents } from '../run/validate.js';
import type { Inputs } from '../runner/inputs.js';
import { type Runner, readThisRun } from '../runner/runner.js';
import { formatMark, isMarked } from '../safety/mark.js';
import { sanitize } from '../safety/sanitize.js';

/**
 * Garbage collection instead of a run, with its suggestions where the workflow wants them. Throws
 * an AxeError.
 */
export async function runGcMode(
  request: RunRequest,
  inputs: Inputs,
  runner: Runner,
  client: GitHubClient | undefined,
  deps: Dependencies,
): Promise<RunReport> {
  const { trigger, isMemoryHidden } = request;
  if (inputs.reportTo === '' || inputs.dryRun || trigger.kind === 'local')
    return await collectAgentMemory(request, undefined, deps);
  if (client === undefined || isMemoryHidden) {
    // What a memory in another repository says must not be shown here (D14).
    const message = isMemoryHidden
      ? '`report-to` has no effect: the memory is in another repository. Run `mode: gc` there.'
      : "the suggestions are only in the job summary: `report-to` needs a `github-token`. Remove that input to use the job's token.";
    deps.reporter.warn({ code: 'input-invalid', message });
    return await collectAgentMemory(request, undefined, deps);
  }
  const { signal } = deps.deadline;
  /**
   * Puts the recommendations up for people. Trouble is a warning: memory is trimmed, and the
   * analysis is in the summary.
   */
  const suggest: Suggest = async (agent, analysed) => {
    // A pull request changes the agent's files, which say nothing of lines that are gone.
    const hasNews = inputs.reportTo === 'issue' && analysed.gone.length > 0;
    if (!hasNews && !hasRecommendations(analysed.text)) return { kind: 'none' };
    try {
      return await publish(trigger.repository, inputs, runner, client, agent, analysed, deps);
    } catch (thrown) {
      const cause: unknown = signal.aborted ? signal.reason : thrown;
      if (!(cause instanceof AxeError)) throw cause;
      const message = `the suggestions of gc were not published: ${cause.message}`;
      deps.reporter.warn({ code: 'publish-failed', message, remedy: cause.remedy ?? BY_HAND });
      return { kind: 'failed', message: cause.message };
    }
  };
  return await collectAgentMemory(request, suggest, deps);
}

const BY_HAND =
  'Change the agent by hand if you agree with the analysis; it is in the job summary.';

/**
 * As one issue that is kept up to date, or as a change of the agent's own files that somebody has
 * to merge. Throws an AxeError.
 */
async function publish(
  repository: Repository,
  inputs: Inputs,
  runner: Runner,
  client: GitHubClient,
  agent: LoadedAgent,
  { text: analysis, gone, ask }: Parameters<Suggest>[1],
  { secrets, deadline: { signal } }: Dependencies,
): Promise<Suggestion> {
  const name = memoryName(agent.name);
  const withGone = (markdown: string) => paragraphs([markdown, formatStaleLines(gone, false)]);
  // What a model suggests may come from any lane.
  const mark = { kind: 'gc', agent: name, lane: 'untrusted' } as const;
  const digest = {
    kind: 'digest',
    digest: recommendationsDigest(withGone(analysis)),
    lane: 'untrusted',
  } as const;
  const { runUrl } = readThisRun(runner.env);
  const bodyOf = (markdown: string) =>
    [
      formatMark(digest),
      sanitize(withGone(markdown), 'comment', secrets),
      '',
      `Suggested by [a run of \`mode: gc\`](${runUrl}) from what \`${name}\` remembers. A model wrote it; nothing changes until a person acts on it.`,
    ].join('\n');
  const isClosed = ({ body }: { readonly body: string }) => isMarked(body, digest);

  if (inputs.reportTo === 'issue') {
    const issues = await findIssues(
      client,
      { repository, mark, state: 'CLOSED', maxPages: 1 },
      signal,
    );
    const closed = issues.find(isClosed);
    if (closed !== undefined) return { kind: 'closed-before', url: closed.url };
    const title = sanitize(`What the memory of ${name} suggests`, 'title', secrets);
    const body = bodyOf(analysis);
    const issue = { repository, mark, title, body, labels: [] };
    return { kind: 'published', ...(await findOrCreateIssue(client, issue, signal)) };
  }

  const from = agent.home?.place.repository;
  if (from !== undefined && !isRepository(from, repository))
    throw new AxeError('the agent is kept in another repository', { remedy: ISSUE });
  const branch = `axe-gc/${name}`;
  const closed = (await listClosedPulls(client, repository, branch, signal)).find(isClosed);
  if (closed !== undefined) return { kind: 'closed-before', url: closed.url };
  const atRef = refPlace({
    client,
    repository,
    ref: repository.defaultBranch,
    dirs: dirsAtRef(inputs.agentsDir),
    signal,
    workspace: runner.workspace,
  });
  const own = await readOwnFiles(createAgentLoader([atRef]), agent);
  if (own === undefined)
    throw new AxeError('the default branch has no such agent file', { remedy: ISSUE });
  const reply = await ask(PROPOSAL_PROMPT, proposalMessage(analysis, own));
  if (reply.finish !== 'stop') throw new AxeError('the model did not finish the proposal');
  const read = readProposal(reply.text, own);
  if (read.kind === 'refused') throw new AxeError(read.reason);
  if (read.files.size === 0) return { kind: 'none' };
  const proposal = {
    repository,
    base: repository.defaultBranch,
    branch,
    mark,
    title: sanitize(read.title, 'title', secrets),
    // Words of a model could close issues from here.
    message: `Carry out what gc suggests for ${name}`,
    body: bodyOf(read.reason),
    edits: new Map(
      [...read.files].map(([path, text]) => {
        const before = encodeBytes(own.texts.get(path) ?? '');
        return [path, { before, after: encodeBytes(sanitize(text, 'output', secrets)) }];
      }),
    ),
  };
  return { kind: 'published', ...(await proposeChange(client, proposal, signal)) };
}

const ISSUE = 'Write `report-to: issue`.';

/**
 * The agent's TOML and its skill; undefined for an agent that is built in or not there. A skill
 * that lies elsewhere is left out.
 */
async function readOwnFiles(
  agents: AgentLoader,
  { name, config }: LoadedAgent,
): Promise<OwnFiles | undefined> {
  const unlessMissing = (thrown: unknown) => {
    if (!(thrown instanceof NotFoundError)) throw thrown;
    return undefined;
  };
  const agent = await agents.openAgent(name).catch(unlessMissing);
  if (agent?.home === undefined) return undefined;
  const texts = new Map([[agent.file, agent.text]]);
  const skill =
    config.skill === ''
      ? undefined
      : await agents.findSkill(config.skill, agent).catch(unlessMissing);
  if (skill !== undefined) texts.set(skill.path, skill.text);
  return { toml: agent.file, texts };
}

/**
 * Looks at agents instead of running one. Whoever caused the event, nothing of theirs is run, and
 * no model, key or memory is in reach, so there is no admission. Throws an AxeError.
 */
export async function runValidateMode(
  inputs: Inputs,
  trigger: Trigger,
  runner: Runner,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<RunReport> {
  const validation = await validateAgents(
    {
      names: inputs.agent === '' ? [] : [inputs.agent],
      outputSchema: inputs.outputSchema,
      isFolderNamed: inputs.agentsDir !== '',
    },
    {
      ...(await openCheckedAgents(inputs, trigger, runner, secrets, signal)),
      modelProblem: (ref) => modelProblem(ref, { env: runner.env, config: {} }),
      signal,
    },
  );
  return { kind: 'validated', validation };
}

/**
 * The agent files that a check is about: those that are checked out, or without a checkout those of
 * the head, by API. Nothing of them is run, so they may be anybody's. Throws a ConfigError where
 * there is neither.
 */
async function openCheckedAgents(
  { agentsDir, githubToken: token }: Inputs,
  trigger: Trigger,
  { env, workspace, log }: Runner,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<Pick<ValidationDependencies, 'agents' | 'where'>> {
  const commit = await readCheckedOut(workspace);
  const onDisk = localAgents({ cwd: workspace, agentsDir, configDir: undefined });
  if (commit !== undefined || (await onDisk.listFiles()).length > 0) {
    const where = commit === undefined ? 'the workspace' : `the checkout of ${commit.slice(0, 7)}`;
    return { agents: onDisk, where };
  }
  const client = await connectGitHub(token, {
    env,
    fetch: createFetch(env),
    clock: createClock(),
    log: (line) => log(sanitize(line, 'log', secrets)),
  });
  if (client === undefined || trigger.kind === 'local') {
    throw new ConfigError(
      'there are no agents to check: nothing is checked out, and there is no token',
      {
        remedy: 'Run `actions/checkout` before this step, or set its `github-token`.',
      },
    );
  }
  const { repository } = trigger;
  // A fork's head is a commit of this repository too: GitHub keeps it under `refs/pull/`.
  const sha = trigger.kind === 'pull_request' ? trigger.head.sha : env['GITHUB_SHA'];
  const place = { client, repository, ref: sha || repository.defaultBranch };
  return {
    agents: createAgentLoader([
      refPlace({ ...place, dirs: dirsAtRef(agentsDir), signal, workspace }),
    ]),
    where: locationOf(place, '').slice(0, -1),
  };
}
