import { parseModelRef } from '../agent/config.js';
import { AxeError, ConfigError, isNotFound, ProviderError } from '../lib/errors.js';
import { keyState } from '../model/model-access.js';
import { answerForm } from '../run/plan.js';
import { checkAgent } from '../run/validate.js';
import { type InputMistake, joinMistakes } from '../runner/inputs.js';
import { readOwnWorkflow } from '../runner/runner.js';
import { checkAgentsDir } from '../runner/setup.js';
import { type ActionContext, agentNameOf, openAgentLoader } from './dependencies.js';

/**
 * The error that ended a run before its model was asked, with all other mistakes of the set-up: of
 * the inputs, the agent's file, its model and the key, and the permissions that the workflow does
 * not grant. Errors of another kind stay as they are. A run that goes on is not told of permissions:
 * GitHub's refusal says the same line where one is used, and its file could be a stranger's.
 */
export async function withOtherMistakes(
  thrown: unknown,
  inputMistakes: readonly InputMistake[],
  context: ActionContext | undefined,
): Promise<unknown> {
  if (!isAboutSetup(thrown)) return thrown;
  const inputErrors = inputMistakes.map(({ error }) => error);
  if (context === undefined || context.inputs.mode === 'validate')
    return joinMistakes([...inputErrors, thrown]);

  const { inputs, runner, deadline } = context;
  const unusable = await mistakesOf(
    () => answerForm({ responseFormat: undefined }, inputs.outputSchema, { deadline }),
    () => checkAgentsDir(inputs.agentsDir, runner.workspace),
  );
  const canFindAgent =
    !isNotFound(thrown, 'agent') && !inputMistakes.some(({ input }) => PLACE_OF_AGENT.has(input));
  const ofAgent = canFindAgent ? await agentMistakes(context) : [];
  const ofWorkflow = await permissionMistakes(context);
  return joinMistakes([...inputErrors, thrown, ...unusable, ...ofAgent, ...ofWorkflow]);
}

/** The errors for people that these checks end with. */
async function mistakesOf(...checks: readonly (() => unknown)[]): Promise<readonly AxeError[]> {
  const mistakes: AxeError[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (thrown) {
      if (!(thrown instanceof AxeError)) throw thrown;
      mistakes.push(thrown);
    }
  }
  return mistakes;
}

/** Other errors are about GitHub, a provider or a person; status 3 alone is a key's form. */
function isAboutSetup(thrown: unknown): thrown is AxeError {
  if (!(thrown instanceof AxeError) || thrown instanceof ProviderError) return false;
  return thrown instanceof ConfigError || thrown.exitCode === 2 || thrown.exitCode === 3;
}

/** Inputs that say where the agent is; with a mistake in one of them it cannot be found. */
const PLACE_OF_AGENT: ReadonlySet<InputMistake['input']> = new Set([
  'agent',
  'agents-dir',
  'agents-repo',
  'repositories-token',
  'github-token',
]);

async function agentMistakes(context: ActionContext): Promise<readonly AxeError[]> {
  try {
    const agent = await checkAgent(agentNameOf(context.inputs), {
      agents: await openAgentLoader(context),
      where: 'the repository',
      modelProblem: () => undefined,
      signal: context.deadline.signal,
    });
    const errors = (agent?.faults ?? [])
      .filter(({ severity }) => severity === 'error')
      .map(({ message, remedy, at }) => new ConfigError(message, { remedy, at }));
    return [...errors, ...(await modelMistakes(agent?.config?.model ?? '', context))];
  } catch (thrown) {
    // The error that ended the run is reported in any case.
    if (thrown instanceof AxeError) return [];
    throw thrown;
  }
}

/** GitHub does not say what it granted, so only the workflow's file can, where it is checked out. */
async function permissionMistakes({ runner }: ActionContext): Promise<readonly AxeError[]> {
  const workflow = readOwnWorkflow(runner.env);
  if (workflow === undefined) return [];
  const { checkOwnPermissions } = await import('../runner/workflow/read-workflows.js');
  const lines = await checkOwnPermissions(runner.workspace, workflow);
  return lines.map(({ file, line, message, remedy }) => {
    return new ConfigError(message, { remedy, at: { file, line } });
  });
}

async function modelMistakes(
  agentModel: string,
  { inputs, runner }: ActionContext,
): Promise<readonly AxeError[]> {
  const name = inputs.model || agentModel;
  if (name === '' || inputs.dryRun) return [];
  return await mistakesOf(() => {
    const sources = { env: runner.env, config: {}, apiKey: inputs.apiKey || undefined };
    const key = keyState(parseModelRef(name), sources);
    if (key instanceof AxeError) throw key;
  });
}
