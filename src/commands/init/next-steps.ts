import { isPlaceholder } from '../../core/action-address.js';
import { composeWorkflow, type InitChoice, permissionsOf } from './compose.js';

/** What was written. */
interface Written {
  readonly workflow: string;
  readonly isNewWorkflow: boolean;
  readonly newSkill: string | undefined;
}

/** What a person has to do now, and what the workflow asks for. */
export function formatNextSteps(choice: InitChoice, written: Written): readonly string[] {
  const { workflow, isNewWorkflow } = written;
  if (!isNewWorkflow) {
    const line = `${workflow} was not changed. Check that its step with the action has \`agent: ${choice.job.agent}\`.`;
    return ['', line];
  }
  const permissions = permissionsOf(composeWorkflow(choice)).map(({ scope, level }) => `${scope}: ${level}`);
  const steps = [...stepsFor(choice, written)].map((step, index) => {
    const [first = '', ...more] = step.split('\n');
    return [`  ${index + 1}. ${first}`, ...more.map((line) => `     ${line}`)].join('\n');
  });
  return [
    '',
    'The workflow gives its token these permissions, so no setting of the repository has to change:',
    `  ${permissions.join(', ')}`,
    memoryLine(choice),
    '',
    'Next steps:',
    ...steps,
    '',
    '`axe-action doctor` checks agents and keys, `axe-action doctor --online` also the token and the repository.',
  ];
}

function memoryLine({ memory }: InitChoice): string {
  return memory === 'branch'
    ? 'Memory is kept on the branch `axe-memory`, which the first run creates.'
    : 'Memory is kept in the Actions cache. GitHub deletes a cache that was not used for 7 days.';
}

function* stepsFor(choice: InitChoice, { newSkill }: Written): Generator<string> {
  const { access, uses, job } = choice;
  if (isPlaceholder(uses))
    yield `Replace \`${uses}\` in the workflow with the address of the action that you use (or write it with \`--uses\`).`;
  switch (access.kind) {
    case 'key':
      yield `Create the secret ${access.variable}: \`gh secret set ${access.variable}\`,\nor on GitHub: Settings → Secrets and variables → Actions → New repository secret.`;
      break;
    case 'offline':
      yield 'No key is needed: fixed rules answer instead of a model. Change `model` in the agent when you have seen it work.';
      break;
  }
  if (newSkill !== undefined) yield `Replace the rules in ${newSkill} with those of your project.`;
  yield 'Commit the files and push them to the default branch; from there the agent is loaded.';
  yield job.tryIt;
}
