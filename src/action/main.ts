import { relative, resolve } from 'node:path';
import { getIDToken, setSecret } from '@actions/core';
import type { AgentLibrary } from '../agent/agent-source.js';
import { readTrigger } from '../event/parse-event.js';
import type { Trigger } from '../event/trigger.js';
import { createCheckProgress } from '../findings/post/check-progress.js';
import type { GitHubClient } from '../github/client/client.js';
import { createClock, createDeadline, type Deadline } from '../lib/clock.js';
import { COMMITTED_FOLDER, DEFAULT_FAIL_ON } from '../lib/defaults.js';
import { CancelledError, ConfigError, messageOf, type Warning } from '../lib/errors.js';
import { actionFolder, readCheckedOut } from '../lib/git.js';
import { createFetch } from '../lib/net/http.js';
import { readConfigFile, resolveInside } from '../lib/user-files.js';
import { unenforceableLimits } from '../loop/budget.js';
import { oneAtATime } from '../memory/store.js';
import { createModels } from '../model/create.js';
import { createCommentReactions } from '../publish/publish-findings.js';
import { createActionPublisher } from '../publish/publisher.js';
import { reportRun } from '../report/report.js';
import { missingAnswerLine } from '../report/summarize.js';
import { agentsDirsOf, findAgents } from '../run/agents.js';
import { createBaseReader } from '../run/cite.js';
import type { Dependencies } from '../run/dependencies.js';
import { connectGitHub, createGitHubPort } from '../run/github.js';
import { runOrigin } from '../run/memory.js';
import { answerForm } from '../run/plan.js';
import type { RunRequest } from '../run/records.js';
import { runPipeline } from '../run/run.js';
import { createToolOpener } from '../run/tools.js';
import {
  type ActionReporter,
  createActionReporter,
  createTranscript,
  type Transcript,
} from '../runner/action-reporter.js';
import {
  type FailOn,
  type Inputs,
  type MemoryInputs,
  readFailOn,
  readInputs,
  readSecrets,
} from '../runner/inputs.js';
import { createJournal, keepCheck } from '../runner/journal.js';
import { type Runner, readThisRun } from '../runner/runner.js';
import { sanitize } from '../safety/sanitize.js';
import type { Secrets } from '../safety/secrets.js';
import { createSubjectFiles } from '../tools/github/commit-files.js';
import { safePrograms } from '../tools/process/programs.js';
import { copyForJob } from '../tools/workspace/artifact-folders.js';
import { type ChangeRules, Changes } from '../tools/workspace/changes.js';
import { openMemory } from './memory.js';
import { runGcMode, runValidateMode } from './modes.js';

/**
 * The action's main step. Never throws for trouble that a person can fix: that is told, and the
 * step fails.
 */
export async function main(runner: Runner): Promise<void> {
  const deadline = createDeadline("Raise `timeout-minutes`, or the agent's `timeout`.");
  const ownSecrets = readSecrets(runner.env);
  const secrets = ownSecrets.values;
  const transcript = createTranscript(secrets);
  const reporter = transcript.recordEvents(createActionReporter(runner.log, secrets));
  let failOn: FailOn = { conclusions: DEFAULT_FAIL_ON, memory: false, findings: [] };
  let deps: Dependencies | undefined;
  try {
    failOn = readFailOn(runner.env);
    const inputs = readInputs(runner.env);
    for (const secret of [inputs.apiKey, inputs.repositoriesToken])
      if (secret !== '') setSecret(secret);
    const isHidden = inputs.memory.isElsewhere;
    for (const warning of unknownNames(inputs.redact, runner.env)) reporter.warn(warning);
    if (inputs.memory.store === 'none')
      for (const warning of unenforceableLimits(inputs.spendLimits, KEEPS_NOTHING))
        reporter.warn(warning);
    if (isHidden) {
      reporter.hideNotes();
      transcript.hideMemory();
    }
    deadline.limit(inputs.timeoutMinutes * 60_000);
    runner.onCancel(() => deadline.cancel(new CancelledError()));
    const { mode, outputSchema } = inputs;
    // A schema of no use is found before anything runs; `mode: validate` reports it itself.
    if (mode !== 'validate')
      await answerForm({ responseFormat: undefined }, outputSchema, { deadline });
    const trigger = await triggerOf(runner);
    if (mode === 'validate') {
      const report = await runValidateMode(inputs, trigger, runner, secrets, deadline.signal);
      return await reportRun({
        report,
        failOn,
        isHidden,
        runner,
        warnings: reporter.warnings,
        secrets,
      });
    }
    const made = await createActionDependencies(
      inputs,
      trigger,
      runner,
      ownSecrets,
      deadline,
      reporter,
      transcript,
    );
    deps = made.deps;
    const request = makeRequest(inputs, trigger, runner);
    const report = await (mode === 'gc'
      ? runGcMode(request, inputs, runner, made.client, deps)
      : runPipeline(request, deps));
    reporter.endTurn();
    await deps.acknowledgement?.end(missingAnswerLine(report));
    const { warnings } = reporter;
    const requests = made.requests();
    await reportRun({ report, failOn, isHidden, runner, warnings, secrets, requests, transcript });
  } catch (thrown) {
    reporter.endTurn();
    const cause: unknown = deadline.signal.aborted ? deadline.signal.reason : thrown;
    const report = { kind: 'failed', thrown: cause } as const;
    await deps?.acknowledgement?.end(missingAnswerLine(report));
    await deps?.progress?.end(
      messageOf(cause),
      cause instanceof CancelledError ? 'cancelled' : 'failed',
    );
    const { warnings } = reporter;
    await reportRun({ report, failOn, isHidden: false, runner, warnings, secrets, transcript });
  } finally {
    deadline.clear();
  }
}

const KEEPS_NOTHING =
  '`memory-store: none` keeps no record of what runs cost. Choose another `memory-store`, or limit each run with `max-cost-usd`.';

/**
 * Names in `redact` that the environment does not have: most likely typing mistakes, and then
 * something is not protected.
 */
function unknownNames(names: readonly string[], env: Runner['env']): readonly Warning[] {
  const known = new Set(Object.keys(env).map((name) => name.toUpperCase()));
  return names
    .filter((name) => !known.has(name.toUpperCase()))
    .map((name) => ({
      code: 'input-invalid',
      message: `the input \`redact\` names \`${name}\`, which the step's environment does not have. Check its spelling, or leave it out.`,
    }));
}

/** The event the runner names. Throws a ConfigError outside of a workflow. */
export async function triggerOf({ env }: Runner): Promise<Trigger> {
  const file = env['GITHUB_EVENT_PATH'] ?? '';
  if (file === '') {
    throw new ConfigError('there is no event: `GITHUB_EVENT_PATH` is not set', {
      remedy:
        'The runner of a workflow starts this program. Anywhere else, use the command line: `axe-action run`.',
    });
  }
  return await readTrigger({ file, name: env['GITHUB_EVENT_NAME'] ?? '', env });
}

async function createActionDependencies(
  inputs: Inputs,
  trigger: Trigger,
  runner: Runner,
  { values: secrets, add: keepSecret }: Secrets,
  deadline: Deadline,
  reporter: ActionReporter,
  transcript: Transcript,
) {
  const { workspace } = runner;
  // On Windows the variable may be `Path`, which only the process itself finds by this name.
  const env = { ...runner.env, PATH: runner.env['PATH'] };
  if (inputs.toolsAllowed.length > 0) useSafePath(runner);
  if (inputs.agentsDir !== '')
    await resolveInside(workspace, { path: inputs.agentsDir, what: 'the input `agents-dir`' });
  const fetch = createFetch(env);
  const clock = createClock();
  const log = (line: string) => runner.log(sanitize(line, 'log', secrets));
  let requests = 0;
  const counted: typeof globalThis.fetch = (input, init) => {
    requests += 1;
    return fetch(input, init);
  };
  const access = { env, fetch: counted, clock, log };
  const needsWrite = inputs.checkRun ? ['checks'] : [];
  const client = await connectGitHub(inputs.githubToken, { ...access, needsWrite });
  const thisRun = readThisRun(env);
  // The check of the commit while the run is at work, where the workflow wants one.
  const showsProgress = inputs.checkRun && !inputs.dryRun;
  const clean = (markdown: string) => sanitize(markdown, 'untrusted-comment', secrets);
  const progress =
    client === undefined || !showsProgress
      ? undefined
      : createCheckProgress({ client, runUrl: thisRun.runUrl, log, keep: keepCheck, clean });
  const { agentsRepo, repositoriesToken: token } = inputs;
  const shared = agentsRepo && {
    ...agentsRepo,
    client: token === '' ? client : await connectGitHub(token, access),
  };
  // One store for the agent and its sub-agents.
  const memory = oneAtATime(await openMemory(inputs, trigger, workspace, access, client));
  const roots = memoryRoots(inputs.memory);
  const instructionFiles = new Set<string>();
  const found = findAgents({
    trigger,
    cwd: workspace,
    agentsDir: inputs.agentsDir,
    configDir: undefined,
    client,
    shared,
    onRead: (file) => instructionFiles.add(file),
    memoryRoots: roots,
    signal: deadline.signal,
  });
  const inRepository = (path: string) => relative(workspace, resolve(workspace, path));
  const changes = await openChanges(
    {
      allowed: inputs.changesAllowed,
      memoryRoots: roots,
      agentsDirs: agentsDirsOf(inputs.agentsDir).map(inRepository),
      instructionFiles: () => [...instructionFiles].map(inRepository),
      secrets,
    },
    client,
    trigger,
    workspace,
    deadline.signal,
  );
  const publisher = createActionPublisher({
    client,
    changes: changes && { made: changes.made, head: () => changes.files.head() },
    comment: inputs.comment,
    rules: inputs.rules,
    reportTo: inputs.reportTo,
    checkRun: inputs.checkRun,
    reporter,
    secrets,
    progress,
    now: () => clock.now(),
    ...thisRun,
  });
  const models = createModels({
    env,
    fetch,
    loadConfig: async () => ({}),
    idToken: getIDToken,
    readTextFile: readConfigFile,
    asksWindow: true,
    apiKey: inputs.apiKey || undefined,
  });
  const deps: Dependencies = {
    ...found,
    agents: withWorkflowWarnings(found.agents),
    github: client && createGitHubPort(client, trigger),
    readBase: createBaseReader(trigger, client, workspace, env),
    // What gc asks about is the memory itself.
    models:
      inputs.mode === 'gc' && inputs.memory.isElsewhere ? models : transcript.recordModels(models),
    ...createToolOpener({
      env,
      cwd: workspace,
      fetch,
      clock,
      keepSecret,
      where: 'workflow',
      toolsAllowed: inputs.toolsAllowed,
      memoryRoots: roots,
      agentsDirs: agentsDirsOf(inputs.agentsDir),
      instructionFiles: () => [...instructionFiles],
      client,
      trigger,
      changes,
      ownFolder: actionFolder(import.meta.dirname),
      keepArtifacts: (folder) => copyForJob(folder, runner.temp),
    }),
    changes: changes?.made,
    openMemory: () => memory,
    progress,
    publisher,
    acknowledgement: createCommentReactions({
      client,
      trigger,
      isSilent: inputs.comment === 'never',
      answer: (line) => publisher.answerFailure({ trigger, agent: agentNameOf(inputs), line }),
      log,
    }),
    publishRules: inputs.rules,
    journal: createJournal(runner.temp),
    reporter,
    clock,
    deadline,
    resolveWorkdir: (path, what) => resolveInside(workspace, { path, what }),
    cwd: workspace,
    program: 'axe-action',
    secrets,
  };
  return { deps, client, requests: () => requests };
}

/**
 * What the run may change for a commit; undefined for nothing, and where nobody could make the
 * commit.
 */
async function openChanges(
  rules: ChangeRules,
  client: GitHubClient | undefined,
  trigger: Trigger,
  workspace: string,
  signal: AbortSignal,
) {
  if (rules.allowed.length === 0 || client === undefined || trigger.kind === 'local')
    return undefined;
  const files = createSubjectFiles(client, trigger, signal);
  const checkedOut = await readCheckedOut(workspace);
  // Below a comment a job checks the default branch out, unless it says otherwise.
  const isOther =
    trigger.kind === 'comment' &&
    trigger.on === 'pull_request' &&
    checkedOut !== undefined &&
    checkedOut !== (await files.head().catch(() => undefined))?.head;
  return { made: new Changes(rules), files, isCheckedOut: checkedOut !== undefined && !isOther };
}

function makeRequest(inputs: Inputs, trigger: Trigger, { env, workspace }: Runner): RunRequest {
  return {
    agent: agentNameOf(inputs),
    model: inputs.model,
    effort: inputs.effort,
    skill: '',
    workdir: '',
    prompt: inputs.prompt,
    trigger,
    origin: runOrigin(env),
    inWorkflow: true,
    readStdin: async () => '',
    readChange: async () => undefined,
    review: { minSeverity: inputs.minSeverity },
    admissionPolicy: inputs.admission,
    language: inputs.language,
    readCheckout: () => readCheckedOut(workspace),
    isMemoryReadOnly: inputs.memory.isReadOnly,
    diffPolicy: { ...inputs.diff, memoryRoots: memoryRoots(inputs.memory) },
    isMemoryHidden: inputs.memory.isElsewhere,
    maxTurns: inputs.maxTurns,
    tokenLimit: (agentMaxTokens) => smallerLimit(inputs.maxTokens, agentMaxTokens),
    outputSchema: inputs.outputSchema,
    maxCostUsd: inputs.maxCostUsd,
    spendLimits: inputs.spendLimits,
    fallbackModels: inputs.fallbackModels,
    timeLimit: (agentSeconds) => {
      const limit = inputs.timeoutMinutes * 60;
      return agentSeconds > 0 ? Math.min(agentSeconds, limit) : limit;
    },
    dryRun: inputs.dryRun,
  };
}

/** Of two limits the smaller one; 0 is none. */
function smallerLimit(one: number, other: number): number {
  return one > 0 && other > 0 ? Math.min(one, other) : one || other;
}

function agentNameOf({ agent }: Inputs): string {
  return agent === '' ? 'builtin/ask' : agent;
}

/** The agents, with warnings of what only a workflow cannot use of them. */
export function withWorkflowWarnings(agents: AgentLibrary): AgentLibrary {
  return {
    ...agents,
    async loadAgent(name) {
      const agent = await agents.loadAgent(name);
      return { ...agent, warnings: [...agent.warnings, ...(agent.workflowWarnings ?? [])] };
    },
  };
}

/**
 * Folders of the run's own repository in which memory lies, or lay under other inputs, relative to
 * its root. At the top of a branch of its own memory lies next to no code.
 */
function memoryRoots({ path, repository }: MemoryInputs): readonly string[] {
  const own = repository === undefined && path ? [path] : [];
  return [...new Set([COMMITTED_FOLDER, ...own])];
}

/** What libraries start by `PATH` (`tar`, `zstd`) comes from folders that no tool can write. */
export function useSafePath({ env, workspace }: Runner): void {
  process.env['PATH'] = safePrograms(env['PATH'], [workspace]).path;
}
