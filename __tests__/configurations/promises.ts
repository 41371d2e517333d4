import { DEFAULT_FAIL_ON } from '../../src/lib/defaults.js';
import { CONCLUSIONS } from '../../src/lib/outcome.js';
import { ACTION_OUTPUTS } from '../helpers/action-yml.js';
import { markdownFaults } from '../helpers/markdown-faults.js';
import { leaks } from '../hostile/invariants.js';
import type { Configuration } from './choices.js';
import { CANARIES, type Observed } from './scene.js';

/** What a run did against what the action promises of every run; whole sentences. */
export function brokenPromises(chosen: Configuration, observed: Observed): readonly string[] {
  return [
    ...statusFaults(chosen, observed),
    ...annotationFaults(observed),
    ...outputFaults(observed),
    ...memoryFaults(chosen, observed),
    ...restraintFaults(chosen, observed),
    ...markdownFaults(observed.step.summary).map((fault) => `The summary is torn: ${fault}.`),
    ...leakFaults(chosen, observed),
  ];
}

/**
 * The exit status is the conclusion by `fail-on`; memory that it lists and that was not saved fails
 * the step too.
 */
function statusFaults({ inputs }: Configuration, { step }: Observed): readonly string[] {
  const { conclusion = '', 'memory-saved': saved } = step.outputs;
  const isListed = failOn(inputs['fail-on']).includes(conclusion);
  const isUnsaved = inputs['fail-on'] === 'memory' && saved !== 'true';
  const isRed = step.exitCode !== 0;
  const hasError = step.annotations.some(({ level }) => level === 'error');
  return [
    ...(isListed && !isRed
      ? [`The conclusion \`${conclusion}\` is listed, and the step is green.`]
      : []),
    ...(isRed && !isListed && !isUnsaved
      ? [`The conclusion \`${conclusion}\` is not listed, and the step is red.`]
      : []),
    ...(isRed && !hasError ? ['The step is red without an error annotation.'] : []),
  ];
}

/** The words of `fail-on`, or the default if it is empty or one of them is not a conclusion. */
function failOn(value: string | undefined): readonly string[] {
  if (value === '') return DEFAULT_FAIL_ON;
  if (value === 'none') return [];
  const words = value
    ?.split(/[,\n]/)
    .map((word) => word.trim())
    .filter(Boolean);
  const isKnown =
    words?.every((word) => word === 'memory' || CONCLUSIONS.some((known) => known === word)) ===
    true;
  return words !== undefined && isKnown ? words : DEFAULT_FAIL_ON;
}

/**
 * A sentence, or a clause behind a colon or semicolon, that begins with what to do; what there is
 * instead; or a command that helps.
 */
const REMEDY =
  /(?:^|[.:;,] |\n *|\bor )(?:Add|Allow|Ask|Change|Check|Choose|Commit|Correct|Create|Delete|Do|Find|Fix|Give|Install|Keep|Leave|Let|Limit|Look|Lower|Make|Mend|Name|Put|Raise|Remove|Rename|Replace|Run|Set|Shorten|Start|Take|Trim|Use|Write)\b|Did you mean |There are: |`axe-action [a-z]/i;

/** The runner shows ten annotations of a level; nobody can act on one about a bug of ours. */
function annotationFaults({ step }: Observed): readonly string[] {
  const { annotations } = step;
  const levels = ['error', 'warning', 'notice'] as const;
  const crowded = levels.filter(
    (level) => annotations.filter((one) => one.level === level).length > 10,
  );
  // Why a run was stopped, and what to do about it, says its error.
  const isStopped = step.outputs['conclusion'] === 'timeout';
  const isFor = new Set(isStopped ? ['error'] : ['error', 'warning']);
  // Warnings of one kind share an annotation, which says a remedy that they have in common once.
  const silent = annotations.filter(
    ({ level, message }) => isFor.has(level) && !REMEDY.test(message),
  );
  const empty = annotations.filter(({ message }) => message.trim() === '');
  const bugs = annotations.filter(({ message }) => message.includes('This is a bug'));
  return [
    ...crowded.map((level) => `There are more than ten annotations of the level ${level}.`),
    ...silent.map(({ level, message }) => `This ${level} does not say what to do: ${message}`),
    ...empty.map(({ level }) => `There is an empty ${level}.`),
    ...bugs.map(({ message }) => `The action broke: ${message}`),
  ];
}

const DOCUMENTED = Object.keys(ACTION_OUTPUTS);

function outputFaults({ step }: Observed): readonly string[] {
  const { conclusion, reason } = step.outputs;
  const unknown = Object.keys(step.outputs).filter((name) => !DOCUMENTED.includes(name));
  return [
    ...unknown.map((name) => `The output \`${name}\` is not documented.`),
    ...(CONCLUSIONS.some((known) => known === conclusion)
      ? []
      : [`\`${conclusion}\` is no conclusion.`]),
    ...((conclusion === 'success') === (reason === undefined)
      ? []
      : ['`reason` does not fit `conclusion`.']),
  ];
}

/** Ids of entries by their provenance lines. */
const IDS = /<!-- axe-action v=1 id=(\S+) /g;

/**
 * `memory-saved` is what the stores hold; a failed save might be kept in another one, and reports
 * it.
 */
function memoryFaults({ inputs }: Configuration, observed: Observed): readonly string[] {
  const {
    'memory-saved': saved,
    'memory-entry-id': id,
    'memory-save-error': error,
  } = observed.step.outputs;
  const [before, after] = [idsIn(observed.memoryBefore), idsIn(observed.memoryAfter)];
  const added = [...after].filter((one) => !before.has(one));
  const isChanged = !isSame(observed.memoryBefore, observed.memoryAfter);
  if (!['true', 'false', ''].includes(saved ?? '?')) return [`\`memory-saved\` is ${saved}.`];
  return [
    ...(saved === 'true' && !isChanged ? ['`memory-saved` is true, and nothing was written.'] : []),
    ...(saved === 'true' && id !== undefined && !added.includes(id)
      ? ['`memory-saved` is true, and no store holds the entry.']
      : []),
    ...(saved !== 'true' && added.length > 0 && error === undefined
      ? [`\`memory-saved\` is not true, and ${added.join(', ')} was added.`]
      : []),
    ...(added.some((one) => one !== id) && (inputs['mode'] ?? 'run') === 'run'
      ? ['Another entry was added than the one that is told.']
      : []),
  ];
}

function idsIn(memory: Observed['memoryAfter']): ReadonlySet<string> {
  return new Set(
    [...memory.values()].flatMap((text) => [...text.matchAll(IDS)].map(([, id = '']) => id)),
  );
}

function isSame(before: Observed['memoryAfter'], after: Observed['memoryAfter']): boolean {
  return (
    before.size === after.size && [...before].every(([path, text]) => after.get(path) === text)
  );
}

/** What is skipped asks nothing and writes nothing, and so does a dry run. */
function restraintFaults({ inputs }: Configuration, observed: Observed): readonly string[] {
  const { step, prompts, memoryBefore, memoryAfter, posted } = observed;
  const isSkipped = step.outputs['conclusion'] === 'skipped';
  const isDry = inputs['dry-run'] === 'true';
  const isChanged = !isSame(memoryBefore, memoryAfter);
  return [
    ...(isSkipped && prompts > 0 ? ['The run was skipped, and a model was asked.'] : []),
    ...(isSkipped && isChanged ? ['The run was skipped, and memory was changed.'] : []),
    // What gc costs in a dry run is for its own tests.
    ...(isDry && prompts > 0 && inputs['mode'] !== 'gc' ? ['A dry run asked a model.'] : []),
    ...(isDry && isChanged ? ['A dry run changed memory.'] : []),
    ...(isDry && posted !== observed.postedBefore ? ['A dry run posted something.'] : []),
  ];
}

/**
 * No secret is to be seen in the log, the summary, the outputs, on GitHub or in memory, in whatever
 * form.
 */
function leakFaults(
  { inputs }: Configuration,
  { step, posted, memoryAfter }: Observed,
): readonly string[] {
  const places = {
    'the log': step.stdout.replace(/^::add-mask::.*$/gm, ''),
    'the summary': step.summary,
    'the outputs': JSON.stringify(step.outputs),
    'what is handed to the post step': JSON.stringify(step.state),
    GitHub: posted,
    memory: [...memoryAfter.values()].join('\n'),
  };
  // Only the content of inputs is secret, whatever a model invents.
  const given = Object.entries(CANARIES).filter(
    ([name, secret]) => !OPTIONAL.has(name) || inputs[name] === secret,
  );
  return leaks(Object.fromEntries(given), places).map(
    ({ secret, place }) => `The secret ${secret} is to be seen in ${place}.`,
  );
}

const OPTIONAL: ReadonlySet<string> = new Set(['repositories-token']);
