import type { LoadedAgent } from '../agent/agent-source.js';
import { BUILT_IN_PREFIX } from '../agent/built-in.js';
import { type ModelRef, parseModelRef } from '../agent/config.js';
import { type AgentLoader, createAgentLoader } from '../agent/loader.js';
import type { ModelParams } from '../agent/model-keys.js';
import { refPlace } from '../agent/read-ref.js';
import { isRepository, type Repository } from '../event/trigger.js';
import { orGitHubError } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { listClosedPulls, proposeChange } from '../github/posting/commit-edits.js';
import { findIssues, findOrCreateIssue } from '../github/posting/issues.js';
import { fetchFilesAt, locationOf } from '../github/reading/contents.js';
import { fetchReviewRemarks, type ReviewRemark } from '../github/reading/review-remarks.js';
import { createClock, DAY_MS } from '../lib/clock.js';
import { AxeError, ConfigError, NotFoundError } from '../lib/errors.js';
import { readCheckedOut } from '../lib/git.js';
import { createFetch } from '../lib/net/http.js';
import { encodeBytes } from '../lib/text/bytes.js';
import { paragraphs } from '../lib/text/format.js';
import { memoryName } from '../memory/paths.js';
import { isMissingKey, keyState, modelProblem, priceProblem } from '../model/model-access.js';
import {
  LEARNING_PROMPT,
  PROPOSAL_PROMPT,
  proposalMessage,
  RULES_FILE,
  remarksMessage,
} from '../prompt/gc-prompts.js';
import { formatStaleLines } from '../report/views/memory.js';
import { dirsAtRef, localAgents } from '../run/agents.js';
import type { Dependencies } from '../run/dependencies.js';
import {
  hasRecommendations,
  type OwnFiles,
  readProposal,
  recommendationsDigest,
} from '../run/gc/analysis.js';
import { collectAgentMemory, type Suggest } from '../run/gc/gc.js';
import { checkRules, REMARKS_DAYS, withRules } from '../run/gc/learning.js';
import type { Suggestion } from '../run/gc-result.js';
import { connectGitHub } from '../run/github.js';
import type { RunReport, RunRequest, SetupProblem, Validation } from '../run/records.js';
import { faultOf, type ValidationDependencies, validateAgents } from '../run/validate.js';
import type { InputMistake, Inputs } from '../runner/inputs.js';
import { type Runner, readThisRun } from '../runner/runner.js';
import { checkAgentsDir, findUnusedInputs } from '../runner/setup.js';
import { formatMark, isMarked, type Mark } from '../safety/mark.js';
import { sanitize } from '../safety/sanitize.js';
import type { ActionContext } from './dependencies.js';

/**
 * Garbage collection instead of a run, with its suggestions where the workflow wants them. Throws
 * an AxeError.
 */
export async function runGcMode(
  request: RunRequest,
  context: ActionContext,
  client: GitHubClient | undefined,
  deps: Dependencies,
): Promise<RunReport> {
  const { inputs } = context;
  const { trigger, isMemoryHidden } = request;
  if (inputs.reportTo === '' || inputs.dryRun || trigger.kind === 'local')
    return await collectAgentMemory(request, undefined, deps);
  if (client === undefined || isMemoryHidden) {
    // The text of a memory in another repository must not be shown in this one.
    const message = isMemoryHidden
      ? '`report-to` has no effect: the memory is in another repository. Run `mode: gc` there.'
      : "the suggestions are only in the job summary: `report-to` needs a `github-token`. Remove that input to use the job's token.";
    deps.reporter.warn({ code: 'input-invalid', message });
    return await collectAgentMemory(request, undefined, deps);
  }

  const { signal } = deps.deadline;
  const target = { context, client, repository: trigger.repository };
  const warn = (message: string) => deps.reporter.warn({ code: 'publish-failed', message });
  /**
   * Puts the recommendations up for people. Trouble is a warning: memory is trimmed, and the
   * analysis is in the summary.
   */
  const suggest: Suggest = async (agent, analysed) => {
    // A pull request changes the agent's files, and stale lines of notes are not in them.
    const hasStaleLines = inputs.reportTo === 'issue' && analysed.gone.length > 0;
    const remarks = inputs.reportTo === 'pull-request' ? await readRemarks(target, deps) : [];
    const hasContent = hasRecommendations(analysed.text) || remarks.length > 0;
    if (!hasStaleLines && !hasContent) return { kind: 'none' };
    try {
      return await publishSuggestions(target, agent, { ...analysed, remarks, warn });
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

/** Maintainers' comments of the last weeks; none, with a warning, if they could not be read. */
async function readRemarks(
  { client, repository }: SuggestionTarget,
  { clock, deadline, reporter }: Dependencies,
): Promise<readonly ReviewRemark[]> {
  const since = new Date(clock.now().getTime() - REMARKS_DAYS * DAY_MS);
  const remarks = await orGitHubError(
    fetchReviewRemarks(client, { repository, since }, deadline.signal),
  );
  if (!(remarks instanceof GitHubError)) return remarks;
  const { message: reason, remedy } = remarks;
  const message = `no rules are proposed from maintainers' comments, which could not be read: ${reason}`;
  reporter.warn({ code: 'context-incomplete', message, remedy });
  return [];
}

const BY_HAND =
  'Change the agent by hand if you agree with the analysis; it is in the job summary.';

/** Suggestions become an issue or a pull request of this repository. */
interface SuggestionTarget {
  readonly context: ActionContext;
  readonly client: GitHubClient;
  readonly repository: Repository;
}

type Analysis = Parameters<Suggest>[1] & {
  readonly remarks: readonly ReviewRemark[];
  warn(message: string): void;
};

/** The text of suggestions, and the marks by which a later run finds them again. */
interface SuggestionTexts {
  /** The agent, as its memory is named. */
  readonly name: string;
  readonly mark: Mark;
  bodyOf(markdown: string): string;
  /** An issue or pull request that people closed had the same suggestions. */
  isSame(earlier: { readonly body: string }): boolean;
}

/**
 * Publishes one issue that is kept up to date, or one pull request that changes the agent's own
 * files and that a person has to merge. Throws an AxeError.
 */
async function publishSuggestions(
  target: SuggestionTarget,
  agent: LoadedAgent,
  analysis: Analysis,
): Promise<Suggestion> {
  const texts = suggestionTexts(target.context, memoryName(agent.name), analysis);
  return target.context.inputs.reportTo === 'issue'
    ? await publishIssue(target, texts, analysis)
    : await publishPull(target, texts, agent, analysis);
}

function suggestionTexts(
  { runner, secrets }: ActionContext,
  name: string,
  { text, gone }: Analysis,
): SuggestionTexts {
  const withStaleLines = (markdown: string) => paragraphs([markdown, formatStaleLines(gone)]);
  const digest = {
    kind: 'digest',
    digest: recommendationsDigest(withStaleLines(text)),
  } as const;
  const { runUrl } = readThisRun(runner.env);
  return {
    name,
    mark: { kind: 'gc', agent: name },
    bodyOf: (markdown) =>
      [
        formatMark(digest),
        sanitize(withStaleLines(markdown), 'comment', secrets.values),
        '',
        `Suggested by [a run of \`mode: gc\`](${runUrl}) from what \`${name}\` remembers. A model wrote it; nothing changes until a person acts on it.`,
      ].join('\n'),
    isSame: ({ body }) => isMarked(body, digest),
  };
}

async function publishIssue(
  { context, client, repository }: SuggestionTarget,
  { name, mark, bodyOf, isSame }: SuggestionTexts,
  analysis: Analysis,
): Promise<Suggestion> {
  const { signal } = context.deadline;
  const closedIssues = await findIssues(
    client,
    { repository, mark, state: 'CLOSED', maxPages: 1 },
    signal,
  );
  const closed = closedIssues.find(isSame);
  if (closed !== undefined) return { kind: 'closed-before', url: closed.url };

  const title = sanitize(`What the memory of ${name} suggests`, 'title', context.secrets.values);
  const body = bodyOf(analysis.text);
  const issue = { repository, mark, title, body, labels: [] };
  return { kind: 'published', ...(await findOrCreateIssue(client, issue, signal)) };
}

async function publishPull(
  { context, client, repository }: SuggestionTarget,
  { name, mark, bodyOf, isSame }: SuggestionTexts,
  agent: LoadedAgent,
  analysis: Analysis,
): Promise<Suggestion> {
  const { inputs, runner, secrets, deadline } = context;
  const { signal } = deadline;
  const agentRepository = agent.home?.place.repository;
  if (agentRepository !== undefined && !isRepository(agentRepository, repository))
    throw new AxeError('the agent is kept in another repository', { remedy: ISSUE });
  const branch = `axe-gc/${name}`;
  const declined = await listClosedPulls(client, repository, branch, signal);
  const closed = declined.find(isSame);
  const { remarks, warn } = analysis;
  if (closed !== undefined && remarks.length === 0)
    return { kind: 'closed-before', url: closed.url };

  const base = repository.defaultBranch;
  const place = refPlace({
    client,
    repository,
    ref: base,
    dirs: dirsAtRef(inputs.agentsDir),
    signal,
    workspace: runner.workspace,
  });
  const ownFiles = await readAgentFiles(createAgentLoader([place]), agent);
  if (ownFiles === undefined && remarks.length === 0) {
    // Only rules can be proposed for an agent without a file of its own.
    if (agent.source === 'built-in') return { kind: 'none' };
    throw new AxeError('the default branch has no such agent file', { remedy: ISSUE });
  }
  const agentFiles = ownFiles ?? { toml: '', texts: new Map<string, string>() };
  const rulesFile = remarks.length === 0 ? null : await readRulesFile(client, repository, signal);

  const prompt = [PROPOSAL_PROMPT, ...(remarks.length === 0 ? [] : [LEARNING_PROMPT])];
  const message = [
    proposalMessage(analysis.text, agentFiles.texts),
    remarksMessage(remarks, rulesFile ?? ''),
  ];
  const reply = await analysis.ask(prompt.join('\n\n'), paragraphs(message));
  if (reply.finish !== 'stop') throw new AxeError('the model did not finish the proposal');
  const answer = readProposal(reply.text, agentFiles);
  if (answer.kind === 'refused') throw new AxeError(answer.reason);

  const { rules, problems } = checkRules(answer.rules, {
    remarks,
    rulesFile: rulesFile ?? '',
    declined: declined.map(({ body }) => body),
  });
  for (const problem of problems) warn(`gc: ${problem}`);
  // A change that people declined is not proposed again.
  const texts = new Map(closed === undefined ? answer.files : []);
  const isAboutAgent = texts.size > 0;
  if (rules.length > 0) texts.set(RULES_FILE, withRules(rulesFile ?? '', rules));
  if (texts.size === 0)
    return closed === undefined ? { kind: 'none' } : { kind: 'closed-before', url: closed.url };

  const textsBefore = new Map([...agentFiles.texts, [RULES_FILE, rulesFile]]);
  const edits = [...texts].map(([path, text]) => {
    const textBefore = textsBefore.get(path);
    const before = typeof textBefore === 'string' ? encodeBytes(textBefore) : undefined;
    const after = encodeBytes(sanitize(text, 'output', secrets.values));
    return [path, { before, after }] as const;
  });
  const title = isAboutAgent
    ? sanitize(answer.title || 'Carry out what gc recommends', 'title', secrets.values)
    : 'Add rules learned from reviews';
  const proposal = {
    repository,
    base,
    branch,
    mark,
    title,
    // A commit message can close issues, so the model writes none of it.
    message: `Carry out what gc suggests for ${name}`,
    body: bodyOf(paragraphs([answer.reason, rules.join('\n')])),
    edits: new Map(edits),
  };
  return { kind: 'published', ...(await proposeChange(client, proposal, signal)) };
}

/** The file of rules on the default branch, null if there is none. Throws an AxeError. */
async function readRulesFile(
  client: GitHubClient,
  repository: Repository,
  signal: AbortSignal,
): Promise<string | null> {
  const place = { repository, commit: repository.defaultBranch };
  const text = (await fetchFilesAt(client, place, [RULES_FILE], signal)).get(RULES_FILE);
  if (text !== undefined) return text;
  throw new AxeError(`\`${RULES_FILE}\` of the default branch could not be read`, {
    remedy: 'Check that it is a text file.',
  });
}

const ISSUE = 'Write `report-to: issue`.';

/**
 * Reads the agent's TOML and its skill; undefined for an agent that is built in or not there. A
 * skill that is not in the repository is left out.
 */
async function readAgentFiles(
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
 * Checks agents instead of running one. Anybody can cause the event: none of their files is run,
 * and no model, key or memory can be reached, so admission is not needed. Throws an AxeError.
 */
export async function runValidateMode(
  context: ActionContext,
  mistakes: readonly InputMistake[],
): Promise<RunReport> {
  const { inputs, runner, deadline } = context;
  const { checkWorkflowsIn } = await import('../runner/workflow/read-workflows.js');
  const { lines, agents: named } = await checkWorkflowsIn(runner.workspace);
  const checked = await openCheckedAgents(context);
  const validation = await validateAgents(
    {
      names: await namesToCheck(inputs, named, checked.agents),
      outputSchema: inputs.outputSchema,
      isFolderNamed: inputs.agentsDir !== '',
    },
    {
      ...checked,
      modelProblem: (ref, params) =>
        modelProblem(ref, { env: runner.env, config: {} }) ??
        keyProblem(ref, runner.env) ??
        costProblem(ref, params, inputs),
      signal: deadline.signal,
    },
  );
  const setup = [
    ...mistakes.map(({ error: { message, remedy = '' } }): SetupProblem => {
      return { severity: 'error', message, remedy };
    }),
    ...unusedInputs(inputs, validation),
  ];
  const workflows = lines.map(({ file, line, level, ...problem }) =>
    faultOf(level, problem, { file, line }),
  );
  return { kind: 'validated', validation: { ...validation, setup, workflows } };
}

/**
 * The agent of the input, else none, which means all of the project. Of a project without agents of
 * its own, the built-in ones that its workflows run.
 */
async function namesToCheck(
  { agent, agentsDir }: Inputs,
  named: readonly string[],
  agents: Pick<AgentLoader, 'listFiles'>,
): Promise<readonly string[]> {
  if (agent !== '') return [agent];
  if (agentsDir !== '' || (await agents.listFiles()).length > 0) return [];
  return named.filter((name) => name.startsWith(BUILT_IN_PREFIX));
}

/** Judged for a single agent: the inputs of a step that checks all of them say nothing of a run. */
function unusedInputs(inputs: Inputs, { agents }: Validation): readonly SetupProblem[] {
  const config = agents.find(({ name }) => name === inputs.agent)?.config;
  if (config === undefined) return [];
  const agent = { name: inputs.agent, config };
  // A folder without agents has ended the check already.
  return findUnusedInputs({ inputs, agent, kinds: undefined, isFolderEmpty: false });
}

/** A key that no request can carry; a missing one is needed by runs alone. */
function keyProblem(ref: ModelRef, env: Runner['env']): AxeError | undefined {
  const key = keyState(ref, { env, config: {} });
  return key instanceof AxeError && !isMissingKey(key) ? key : undefined;
}

/** The error of a run whose cost is limited, if the price of its model is not known. */
function costProblem(
  ref: ModelRef,
  params: Pick<ModelParams, 'price'> | undefined,
  { model, price, maxCostUsd, spendLimits: { perPullUsd, perDayUsd } }: Inputs,
): AxeError | undefined {
  if (maxCostUsd <= 0 && perPullUsd <= 0 && perDayUsd <= 0) return undefined;
  if (params === undefined) return priceProblem(ref, undefined);
  return priceProblem(model === '' ? ref : parseModelRef(model), price ?? params.price);
}

/**
 * Opens the agent files to check: those of the checkout, or without a checkout those of the head,
 * by API. None of them is run, so it does not matter who wrote them. Throws a ConfigError if there
 * is neither.
 */
async function openCheckedAgents({
  inputs,
  trigger,
  runner,
  secrets,
  deadline,
}: ActionContext): Promise<Pick<ValidationDependencies, 'agents' | 'where'>> {
  const { agentsDir, githubToken } = inputs;
  const { env, workspace, log } = runner;
  await checkAgentsDir(agentsDir, workspace);
  const commit = await readCheckedOut(workspace);
  const onDisk = localAgents({ cwd: workspace, agentsDir, configDir: undefined });
  if (commit !== undefined || (await onDisk.listFiles()).length > 0) {
    const source = commit === undefined ? 'the workspace' : `the checkout of ${commit.slice(0, 7)}`;
    return { agents: onDisk, where: source };
  }

  const client = await connectGitHub(githubToken, {
    env,
    fetch: createFetch(env),
    clock: createClock(),
    log: (line) => log(sanitize(line, 'log', secrets.values)),
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
  const dirs = dirsAtRef(agentsDir);
  return {
    agents: createAgentLoader([refPlace({ ...place, dirs, signal: deadline.signal, workspace })]),
    where: locationOf(place, '').slice(0, -1),
  };
}
