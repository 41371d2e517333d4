import { join } from 'node:path';
import { BUILT_IN_AGENTS } from '../../agent/built-in.js';
import { CHECKS_FILE, parseChecks } from '../../findings/checks.js';
import { AxeError, isNotFound } from '../../lib/errors.js';
import { listFolder, readConfigFile, resolveInside } from '../../lib/user-files.js';
import { localAgents } from '../../run/agents.js';
import { checkAgentsDir, isAgentsDirEmpty } from '../setup.js';
import {
  checkPermissions,
  checkWorkflows,
  type FindAgent,
  type WorkflowLine,
} from './check-workflows.js';
import { parseWorkflow, type WorkflowFile } from './workflow-file.js';

const FOLDER = '.github/workflows';

/** A workflow with this action. */
export interface CheckedFile {
  readonly path: string;
  readonly isOnComments: boolean;
}

/** Checks the workflows of a checkout, with the agents that they find there, and its checks. */
export async function checkWorkflowsIn(root: string): Promise<{
  readonly files: readonly CheckedFile[];
  readonly lines: readonly WorkflowLine[];
  /** The agents that steps with the action name. */
  readonly agents: readonly string[];
  /** A workflow calls another one, which can use the action elsewhere. */
  readonly callsWorkflows: boolean;
}> {
  const files = await readWorkflows(root);
  const uses = files
    .map(parseWorkflow)
    .flatMap((file) => (file && 'uses' in file ? file.uses : []));
  return {
    files: [...new Set(uses.map(({ file }) => file))].map((path) => ({
      path,
      isOnComments: uses.some(
        ({ file, events }) => file === path && [...events.keys()].some(isComment),
      ),
    })),
    lines: [...(await checkWorkflows(files, workflowAgents(root))), ...(await checksLines(root))],
    agents: [...new Set(uses.flatMap(({ inputs }) => inputs['agent'] ?? []))],
    callsWorkflows: files.some(({ text }) => CALLS_WORKFLOW.test(text)),
  };
}

/**
 * The permissions that the running job lacks by its own workflow's file. None where the checkout
 * does not have that file, as in a run of another repository's workflow. The file configures
 * nothing: anybody could have written it.
 */
export async function checkOwnPermissions(
  root: string,
  { path, job }: { readonly path: string; readonly job: string },
): Promise<readonly WorkflowLine[]> {
  const file = path.startsWith(`${FOLDER}/`) ? await readWorkflow(root, path) : undefined;
  return file === undefined ? [] : await checkPermissions(file, job, workflowAgents(root));
}

const CALLS_WORKFLOW = /^\s*uses:\s*\S+\/\.github\/workflows\//m;

/** The mistakes of the file of checks in words; none if there is no file. */
async function checksLines(root: string): Promise<readonly WorkflowLine[]> {
  const problem = (line: number, message: string): WorkflowLine => {
    return { file: CHECKS_FILE, line, level: 'error', message, remedy: '' };
  };
  try {
    const file = await resolveInside(root, { path: CHECKS_FILE, what: 'the file of checks' });
    const text = await readConfigFile(file);
    if (text === undefined) return [];
    return parseChecks(text).problems.map(({ line, message }) => problem(line, message));
  } catch (thrown) {
    if (thrown instanceof AxeError) return [problem(1, thrown.message)];
    throw thrown;
  }
}

function isComment(event: string): boolean {
  return event === 'issue_comment' || event === 'pull_request_review_comment';
}

async function readWorkflows(root: string): Promise<readonly WorkflowFile[]> {
  const names = await listFolder(join(root, FOLDER)).catch(() => []);
  const files = names
    .filter((name) => /\.ya?ml$/.test(name))
    .map(async (name) => await readWorkflow(root, `${FOLDER}/${name}`));
  return (await Promise.all(files)).filter((file) => file !== undefined);
}

/** A file that cannot be read, or is outside of the checkout, is none of its workflows. */
async function readWorkflow(root: string, path: string): Promise<WorkflowFile | undefined> {
  try {
    const file = await resolveInside(root, { path, what: 'the workflow' });
    return { path, text: (await readConfigFile(file)) ?? '' };
  } catch (thrown) {
    if (thrown instanceof AxeError) return undefined;
    throw thrown;
  }
}

/** Agents as a workflow has them: without the configuration folder of this machine. */
function workflowAgents(root: string): FindAgent {
  return async (name, agentsDir) => {
    try {
      await checkAgentsDir(agentsDir, root);
    } catch (thrown) {
      if (thrown instanceof AxeError) return { folderMistake: thrown };
      throw thrown;
    }
    const agents = localAgents({ cwd: root, agentsDir, configDir: undefined });
    const isFolderEmpty = await isAgentsDirEmpty(agents, agentsDir);
    try {
      return { config: (await agents.loadAgent(name)).config, isFolderEmpty };
    } catch (thrown) {
      if (!(thrown instanceof AxeError)) throw thrown;
      // Its own mistakes are reported where the agents are.
      if (!isNotFound(thrown, 'agent')) return { config: undefined };
      const names = (await agents.listFiles()).map((agent) => agent.name);
      return { names: [...BUILT_IN_AGENTS.map((agent) => agent.name), ...names] };
    }
  };
}
