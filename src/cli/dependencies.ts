import { dirname } from 'node:path';
import type { Repository, Trigger } from '../event/trigger.js';
import {
  type BufferedPublications,
  DEFAULT_PUBLISH_RULES,
} from '../findings/buffered-publications.js';
import { formatPublications } from '../findings/post/comment-text.js';
import { findingRecords, findingsDocument, raisedRecords } from '../findings/post/record.js';
import type { GitHubClient } from '../github/client/client.js';
import { createMaskedClient } from '../github/client/masked-client.js';
import { createClock, type Deadline } from '../lib/clock.js';
import { configDir, expandPath } from '../lib/environment.js';
import { createFetch } from '../lib/net/http.js';
import { isUnreviewed, markedAnswer, type RunOutcome } from '../lib/outcome.js';
import { readConfigFile } from '../lib/user-files.js';
import { createModels } from '../model/create.js';
import { postsReviews } from '../run/admit.js';
import { agentsDirsOf, findAgents } from '../run/agents.js';
import { createBaseReader } from '../run/cite.js';
import type { Dependencies, Publisher, Reporter } from '../run/dependencies.js';
import { createToolOpener } from '../run/tools.js';
import { createSecrets } from '../safety/secrets.js';
import { connectWithToken, loadProvidersConfig, withExpandedPaths } from './config.js';
import { openFileMemory, projectFolder } from './file-memory.js';
import { formatJson } from './format-json.js';
import { print, type Terminal } from './terminal.js';
import { formatStats, type StatusLine } from './terminal-reporter.js';

/** @internal */
export interface TerminalDependenciesOptions {
  readonly terminal: Terminal;
  readonly trigger: Trigger;
  readonly deadline: Deadline;
  readonly reporter: Reporter;
  /** It is cleared before the answer is printed. */
  readonly status?: StatusLine;
  readonly agentsDir: string;
  readonly output: { readonly json: boolean; readonly verbose: boolean };
  /** Every reply is received in a stream. */
  readonly stream?: boolean;
  readonly artifactDir?: string;
  readonly keepArtifacts?: boolean;
}

/** A run on a person's machine has agents and memory on disk, and its answer on standard output. */
export async function createTerminalDependencies(
  options: TerminalDependenciesOptions,
): Promise<Dependencies> {
  const { terminal, trigger, deadline, reporter, status, agentsDir } = options;
  const { env, cwd } = terminal;
  const fetch = createFetch(env);
  const axeFolder = configDir(env);
  const clock = createClock();
  const secrets = createSecrets(env);
  const client = trigger.kind === 'local' ? undefined : await connectWithToken(terminal, status);
  const { signal } = deadline;
  const project = await projectFolder(cwd);
  const sourceAt =
    client === undefined || trigger.kind === 'local'
      ? undefined
      : await openCommits(client, trigger.repository, signal);
  const library = findAgents({ trigger, cwd, agentsDir, configDir: axeFolder, client, signal });
  const preserve = async (folder: string) => {
    status?.clear();
    terminal.stderr.write(`artifacts preserved: ${folder}\n`);
    return folder;
  };

  return {
    ...library,
    agents: withExpandedPaths(library.agents, env),
    resolveWorkdir: async (path) => expandPath(path, env),
    github: client && (await openGitHub(createMaskedClient(client, secrets.values), trigger)),
    readBase: createBaseReader(trigger, { client, cwd, env }),
    models: createModels({
      env,
      fetch,
      loadConfig: () => loadProvidersConfig(axeFolder),
      readTextFile: readConfigFile,
      streamsAll: options.stream,
    }),
    ...createToolOpener({
      env,
      cwd,
      fetch,
      clock,
      secrets,
      where: trigger.kind === 'local' ? 'terminal' : 'workflow',
      toolsAllowed: [],
      agentsDirs: agentsDirsOf(agentsDir),
      client,
      sourceAt,
      trigger,
      ownFolder: dirname(import.meta.dirname),
      artifactDir: options.artifactDir,
      keepArtifacts: options.keepArtifacts ? preserve : undefined,
    }),
    openMemory: (agent, { path }) => openFileMemory({ agent, path, project }, terminal),
    publisher: createTerminalPublisher(options),
    publishRules: DEFAULT_PUBLISH_RULES,
    reporter,
    clock,
    deadline,
    cwd,
    program: terminal.program,
    secrets,
  };
}

async function openCommits(client: GitHubClient, repository: Repository, signal: AbortSignal) {
  const { createCommitSources } = await import('../tools/github/commit-files.js');
  return createCommitSources(client, repository, signal);
}

async function openGitHub(client: GitHubClient, trigger: Trigger) {
  const { createGitHubPort } = await import('../run/github.js');
  return createGitHubPort(client, trigger);
}

function createTerminalPublisher({
  terminal,
  output,
  status,
}: TerminalDependenciesOptions): Publisher {
  return {
    async publish({ plan, outcome, buffered, change, findings, read, artifacts }) {
      status?.done(outcome);
      if (output.verbose) {
        const lines = formatStats(outcome.stats, isAnswered(outcome));
        for (const line of lines) terminal.stderr.write(`${line}\n`);
      }

      if (output.json) {
        const records =
          findings === undefined
            ? raisedRecords(buffered)
            : findingRecords({ ...findings, buffered });
        const report =
          change === undefined || !postsReviews(plan.agent)
            ? undefined
            : findingsDocument({ ...change, ...read, pull: findings?.pull, findings: records });
        print(terminal, formatJson(outcome, report, artifacts));
        return { posts: [] };
      }

      const text = terminalText(outcome, buffered);
      // On a terminal the shell's prompt starts on a new line; in a pipe the bytes are axe's.
      const needsNewline = terminal.stdout.isTTY === true && text !== '' && !text.endsWith('\n');
      terminal.stdout.write(needsNewline ? `${text}\n` : text);
      return { posts: [] };
    },
    turn: async () => ({ facts: [], isChanged: false }),
    tellFindings: async ({ agent, head, pull }) => ({
      agent,
      report: { head, base: '', pull, coverage: undefined, findings: [] },
      isUnpublished: false,
    }),
    async reply({ text }) {
      status?.clear();
      print(terminal, text);
      return { posts: [] };
    },
  };
}

/**
 * The command line posts nothing, so it prints the publications that the tools collected. A review
 * contains everything for people; its agent's answer is for memory.
 */
function terminalText(outcome: RunOutcome, buffered: BufferedPublications): string {
  const hasAnswer = buffered.review === undefined && isAnswered(outcome);
  // As in axe, the answer is printed without an extra newline.
  const answer = hasAnswer ? markedAnswer(outcome) : '';
  const publications = formatPublications(buffered);
  const parts = [answer, publications === '' ? '' : `${publications}\n`];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The text of a run that used up its budget is an answer too. */
function isAnswered(outcome: RunOutcome): boolean {
  if (outcome.kind === 'exhausted') return outcome.limit === 'tokens' || outcome.limit === 'cost';
  // On the command line a cut answer that has any text is a completed one.
  return outcome.kind === 'completed' || outcome.kind === 'refused' || isUnreviewed(outcome);
}
