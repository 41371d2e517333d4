import { relative, resolve } from 'node:path';
import { getIDToken } from '@actions/core';
import type { AgentLibrary } from '../agent/agent-source.js';
import type { AgentLoader } from '../agent/loader.js';
import type { Trigger } from '../event/trigger.js';
import { offersCommands } from '../event/trust.js';
import { createCheckProgress } from '../findings/post/check-progress.js';
import { createClosingClient } from '../github/client/closing-client.js';
import { createMaskedClient } from '../github/client/masked-client.js';
import { fetchCommitsOfEndedPulls } from '../github/reading/commits.js';
import { createClock, type Deadline } from '../lib/clock.js';
import { COMMITTED_FOLDER } from '../lib/defaults.js';
import { actionFolder, readCheckedOut } from '../lib/git.js';
import { createFetch } from '../lib/net/http.js';
import { readConfigFile, resolveInside } from '../lib/user-files.js';
import type { Models } from '../loop/asker.js';
import { oneAtATime } from '../memory/store.js';
import { createModels } from '../model/create.js';
import { createCommentReactions } from '../publish/publish-findings.js';
import { createActionPublisher } from '../publish/publisher.js';
import { agentsDirsOf, findAgents } from '../run/agents.js';
import { createBaseReader } from '../run/cite.js';
import type { Dependencies } from '../run/dependencies.js';
import { connectGitHub, createGitHubPort } from '../run/github.js';
import { createToolOpener } from '../run/tools.js';
import type { ActionReporter, Transcript } from '../runner/action-reporter.js';
import { withDebugLines } from '../runner/debug-requests.js';
import type { Inputs, MemoryInputs } from '../runner/inputs.js';
import { keepCheck, type StepJournal } from '../runner/journal.js';
import { type Runner, readThisRun } from '../runner/runner.js';
import { checkAgentsDir, isAgentsDirEmpty, unusedInputWarnings } from '../runner/setup.js';
import { sanitize } from '../safety/sanitize.js';
import type { Secrets } from '../safety/secrets.js';
import { createCommitSources, createSubjectFiles } from '../tools/github/commit-files.js';
import { copyForJob } from '../tools/workspace/artifact-folders.js';
import { Changes } from '../tools/workspace/changes.js';
import { openMemory } from './memory.js';

/** The main step's own things, made once in `main` and handed to every mode. */
export interface ActionContext {
  readonly inputs: Inputs;
  readonly trigger: Trigger;
  readonly runner: Runner;
  readonly secrets: Secrets;
  readonly deadline: Deadline;
  readonly reporter: ActionReporter;
  readonly journal: StepJournal;
  readonly transcript: Transcript;
}

/** Throws an AxeError, for example for an `agents-dir` that leads out of the workspace. */
export async function createActionDependencies(context: ActionContext) {
  const { inputs, trigger, runner, secrets, deadline, reporter, journal } = context;
  const { env, workspace } = runner;
  const { agentsDir } = inputs;
  await checkAgentsDir(agentsDir, workspace);

  const connection = await connect(context);
  const { client, sourceAt, fetch, clock, memory } = connection;
  const { loader, headAgents, instructionFiles } = openAgents(context, connection);
  const changes = await openChanges(context, connection, instructionFiles);
  const publishing = openPublishing(context, connection, changes);

  const dependencies: Dependencies = {
    agents: withWorkflowWarnings(loader, context),
    headAgents,
    github: client && createGitHubPort(createMaskedClient(client, secrets.values), trigger),
    readBase: createBaseReader(trigger, {
      client,
      cwd: workspace,
      env,
      isOnlyRepository: !inputs.memory.isElsewhere,
    }),
    withEndedPulls: async (commits, signal) =>
      client === undefined || trigger.kind === 'local'
        ? []
        : await fetchCommitsOfEndedPulls(client, trigger.repository, commits, signal),
    models: openModels(context, connection.shownFetch),
    ...createToolOpener({
      env,
      cwd: workspace,
      fetch,
      clock,
      secrets,
      where: 'workflow',
      toolsAllowed: inputs.toolsAllowed,
      memoryRoots: memoryRoots(inputs.memory),
      agentsDirs: agentsDirsOf(agentsDir),
      instructionFiles: () => [...instructionFiles],
      client,
      sourceAt,
      trigger,
      changes,
      ownFolder: actionFolder(import.meta.dirname),
      keepArtifacts: (folder) => copyForJob(folder, runner.temp),
    }),
    changes: changes?.made,
    openMemory: () => memory,
    ...publishing,
    publishRules: inputs.rules,
    journal,
    reporter,
    clock,
    deadline,
    resolveWorkdir: (path, source) => resolveInside(workspace, { path, what: source }),
    cwd: workspace,
    program: 'axe-action',
    secrets,
  };
  return { dependencies, client, requests: connection.requests };
}

type Connection = Awaited<ReturnType<typeof connect>>;

/** Clients for GitHub, and the memory store, which may need one. */
async function connect({ inputs, trigger, runner, secrets, deadline }: ActionContext) {
  const { env, workspace } = runner;
  const fetch = createFetch(env);
  const clock = createClock();
  const log = (line: string) => runner.log(sanitize(line, 'log', secrets.values));
  const shownFetch = withDebugLines(fetch, secrets.values);
  let requests = 0;
  const countingFetch: typeof globalThis.fetch = (input, init) => {
    requests += 1;
    return shownFetch(input, init);
  };

  const access = { env, fetch: countingFetch, clock, log };
  const needsWrite = inputs.checkRun ? ['checks'] : [];
  const connected = await connectGitHub(inputs.githubToken, { ...access, needsWrite });
  const client = connected && createClosingClient(connected, deadline.closing);
  const sourceAt =
    client === undefined || trigger.kind === 'local'
      ? undefined
      : createCommitSources(client, trigger.repository, deadline.signal);
  const { agentsRepo, repositoriesToken } = inputs;
  const needsOwnClient = agentsRepo !== undefined && repositoriesToken !== '';
  const agentsClient = needsOwnClient ? await connectGitHub(repositoriesToken, access) : client;

  const store = await openMemory(inputs, { ...access, trigger, workspace, client });
  // An agent and its sub-agents share the store.
  const memory = oneAtATime(store);
  return {
    client,
    sourceAt,
    agentsClient,
    memory,
    fetch,
    shownFetch,
    clock,
    log,
    requests: () => requests,
  };
}

function openAgents(
  { inputs, trigger, runner, deadline }: ActionContext,
  { client, agentsClient }: Connection,
) {
  const { agentsRepo, agentsDir, memory } = inputs;
  const instructionFiles = new Set<string>();
  const { agents, headAgents } = findAgents({
    trigger,
    cwd: runner.workspace,
    agentsDir,
    configDir: undefined,
    client,
    shared: agentsRepo && { ...agentsRepo, client: agentsClient },
    onRead: (file) => instructionFiles.add(file),
    memoryRoots: memoryRoots(memory),
    signal: deadline.signal,
  });
  return { loader: agents, headAgents, instructionFiles };
}

/** The agents that a run with these inputs can use, to check them. Throws an AxeError. */
export async function openAgentLoader(context: ActionContext): Promise<AgentLoader> {
  return openAgents(context, await connect(context)).loader;
}

/**
 * The agents, with the warnings about settings that have no effect in a workflow, and for the run's
 * own agent about inputs without effect.
 * @internal
 */
export function withWorkflowWarnings(
  agents: AgentLibrary & Pick<AgentLoader, 'folders' | 'listFiles'>,
  { inputs, trigger }: Pick<ActionContext, 'inputs' | 'trigger'>,
): AgentLibrary {
  return {
    ...agents,
    async loadAgent(name) {
      const agent = await agents.loadAgent(name);
      const warnings = [...agent.warnings, ...(agent.workflowWarnings ?? [])];
      if (name !== agentNameOf(inputs)) return { ...agent, warnings };
      const [folder = ''] = agents.folders;
      // Listed only if the agent is not from that folder, since a list can take a request.
      const isFolderEmpty =
        !agent.source.includes(`${folder}/`) && (await isAgentsDirEmpty(agents, inputs.agentsDir));
      const facts = { inputs, agent, kinds: [trigger.kind], isFolderEmpty };
      return { ...agent, warnings: [...warnings, ...unusedInputWarnings(facts)] };
    },
  };
}

/** Undefined if the run is not allowed to change files, or nobody could commit them. */
async function openChanges(
  { inputs, trigger, runner, secrets, deadline }: ActionContext,
  { client, sourceAt }: Pick<Connection, 'client' | 'sourceAt'>,
  instructionFiles: ReadonlySet<string>,
) {
  const isAllowed = inputs.changesAllowed.length > 0;
  if (!isAllowed || client === undefined || sourceAt === undefined || trigger.kind === 'local')
    return undefined;
  const { workspace } = runner;
  const inRepository = (path: string) => relative(workspace, resolve(workspace, path));
  const changes = new Changes({
    allowed: inputs.changesAllowed,
    memoryRoots: memoryRoots(inputs.memory),
    agentsDirs: agentsDirsOf(inputs.agentsDir).map(inRepository),
    instructionFiles: () => [...instructionFiles].map(inRepository),
    secrets: secrets.values,
  });

  const files = createSubjectFiles(client, trigger, sourceAt, deadline.signal);
  const checkedOut = await readCheckedOut(workspace);
  // After a comment, `actions/checkout` gets the default branch unless the workflow names a ref.
  const isOtherCommit =
    trigger.kind === 'comment' &&
    trigger.on === 'pull_request' &&
    checkedOut !== undefined &&
    checkedOut !== (await files.head().catch(() => undefined))?.head;
  return { made: changes, files, isCheckedOut: checkedOut !== undefined && !isOtherCommit };
}

function openPublishing(
  { inputs, trigger, runner, secrets, reporter }: ActionContext,
  { client, clock, log }: Connection,
  changes: Awaited<ReturnType<typeof openChanges>>,
): Pick<Dependencies, 'progress' | 'publisher' | 'acknowledgement'> {
  const thisRun = readThisRun(runner.env);
  const clean = (markdown: string) => sanitize(markdown, 'untrusted-comment', secrets.values);
  const showsProgress = inputs.checkRun && !inputs.dryRun;
  const progress =
    client === undefined || !showsProgress
      ? undefined
      : createCheckProgress({ client, runUrl: thisRun.runUrl, log, keep: keepCheck, clean });

  const publisher = createActionPublisher({
    client,
    changes: changes && { made: changes.made, head: () => changes.files.head() },
    comment: inputs.comment,
    rules: inputs.rules,
    reportTo: inputs.reportTo,
    checkRun: inputs.checkRun,
    offersCommands: offersCommands(inputs.admission),
    reporter,
    secrets: secrets.values,
    progress,
    now: () => clock.now(),
    ...thisRun,
  });

  const acknowledgement = createCommentReactions({
    client,
    trigger,
    isSilent: inputs.comment === 'never',
    answer: (line) => publisher.answerFailure({ trigger, agent: agentNameOf(inputs), line }),
    log,
  });
  return { progress, publisher, acknowledgement };
}

function openModels(
  { inputs, runner, transcript }: ActionContext,
  fetch: typeof globalThis.fetch,
): Models {
  const models = createModels({
    env: runner.env,
    fetch,
    loadConfig: async () => ({}),
    idToken: getIDToken,
    readTextFile: readConfigFile,
    asksWindow: true,
    streamsAll: true,
    apiKey: inputs.apiKey || undefined,
  });
  // gc sends the memory itself, which has to stay in its own repository.
  const isHidden = inputs.mode === 'gc' && inputs.memory.isElsewhere;
  return isHidden ? models : transcript.recordModels(models);
}

export function agentNameOf({ agent }: Inputs): string {
  return agent === '' ? 'builtin/ask' : agent;
}

/**
 * Folders of the run's own repository that hold memory, or held it under other inputs, relative to
 * its root. The top of a memory branch is not among them: there is hardly any code next to it.
 */
export function memoryRoots({ path, repository }: MemoryInputs): readonly string[] {
  const chosen = repository === undefined && path ? [path] : [];
  return [...new Set([COMMITTED_FOLDER, ...chosen])];
}
