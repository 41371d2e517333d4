import type { AgentConfig } from '../../agent/config.js';
import { parseModelRef } from '../../agent/config.js';
import { closestWord } from '../../agent/suggest.js';
import { findProvider } from '../../model/catalog.js';
import { isForIssuesAlone, isForPullsAlone, NEEDS } from './needed-permissions.js';
import { EVENTS, JOB_KEYS, SCOPES, STEP_KEYS, WORKFLOW_KEYS } from './words.js';
import {
  type ActionUse,
  asMapping,
  asSteps,
  asText,
  isComputed,
  type ParsedWorkflow,
  type YamlPath,
} from './workflow-file.js';

export type Level = 'error' | 'warning' | 'note';

/** A place of a workflow with what is wrong there, each as a sentence without its full stop. */
export interface WorkflowProblem {
  readonly level: Level;
  readonly path: YamlPath;
  readonly message: string;
  readonly remedy: string;
}

/** A step with the action, and what is known of the agent that it runs. */
export interface CheckedUse extends ActionUse {
  /** Undefined if the agent is not known here, as one whose name is computed. */
  readonly agent: AgentConfig | undefined;
  /** Other steps with the action in the repository's workflows. */
  readonly others: readonly CheckedUse[];
}

type Check = (use: CheckedUse) => readonly WorkflowProblem[];

/** Words that GitHub does not know; only those that are close to a known one, as its words grow. */
export function unknownWords({ workflow, uses }: ParsedWorkflow): readonly WorkflowProblem[] {
  const misspelt = (known: readonly string[], kind: string, path: YamlPath, value: unknown) =>
    Object.keys(asMapping(value)).flatMap((word) => {
      const nearest = known.includes(word) ? undefined : closestWord(word, known);
      if (nearest === undefined) return [];
      const message = `\`${word}\` is not ${kind}`;
      return [problem('error', [...path, word], message, `Did you mean \`${nearest}\`?`)];
    });
  const permissions = (path: YamlPath, value: unknown) => [
    ...misspelt(SCOPES, 'a permission', path, value),
    ...Object.entries(asMapping(value)).flatMap(([scope, level]) =>
      LEVELS.includes(asText(level))
        ? []
        : [
            problem(
              'error',
              [...path, scope],
              asText(level) === ''
                ? `\`${scope}\` has no level`
                : `\`${asText(level)}\` is not a level of a permission`,
              'Write `read`, `write` or `none`.',
            ),
          ],
    ),
  ];

  const on = Array.isArray(workflow['on'])
    ? Object.fromEntries(workflow['on'].map((event) => [asText(event), {}]))
    : workflow['on'];
  return [
    ...misspelt(WORKFLOW_KEYS, 'a key of a workflow', [], workflow),
    ...misspelt(EVENTS, 'an event', ['on'], on),
    ...permissions(['permissions'], workflow['permissions']),
    ...uses.flatMap(({ job, jobAt, step, stepAt }) => [
      ...misspelt(JOB_KEYS, 'a key of a job', jobAt, job),
      ...misspelt(STEP_KEYS, 'a key of a step', stepAt, step),
      ...permissions([...jobAt, 'permissions'], job['permissions']),
    ]),
  ];
}

const LEVELS = ['read', 'write', 'none'];

/** The rows of the table: each is one mistake that people make. */
export const WORKFLOW_CHECKS: readonly Check[] = [
  ({ action: { name, ref }, stepAt }) => {
    const path = [...stepAt, 'uses'];
    if (name.startsWith('YOUR_ORG/')) {
      const remedy = 'Write the owner of your fork, and a tag or a commit.';
      return [problem('error', path, `\`${name}\` is a placeholder`, remedy)];
    }
    if (!BRANCHES.includes(ref)) return [];
    const message = `\`@${ref}\` is a branch, so that each change of it runs here`;
    return [problem('warning', path, message, 'Name a release, as `@v1`, or a commit.')];
  },

  // The model's key.
  (use) => {
    const { inputs, env, stepAt } = use;
    if (!isRun(use) || inputs['api-key'] !== undefined) return [];
    return modelsOf(use).flatMap((model) => {
      const { access, needsKey, keyVariable, otherKeyVariables } = findProvider(model);
      const isGiven = [keyVariable, ...otherKeyVariables].some((name) => name in env);
      if (access !== 'direct' || !needsKey || isGiven) return [];
      const remedy = `Add \`${keyVariable}: \${{ secrets.${keyVariable} }}\` to \`env:\` of the step.`;
      const message = `the step does not get \`${keyVariable}\`, the key of ${model.provider}`;
      return [problem('error', stepAt, message, remedy)];
    });
  },
  ({ env, workflow, job, jobAt, step, stepAt }) =>
    Object.entries(env).flatMap(([name, value]) => {
      if (!name.endsWith('_API_KEY') || value === '') return [];
      const places: readonly (readonly [YamlPath, unknown])[] = [
        [stepAt, step['env']],
        [jobAt, job['env']],
        [[], workflow['env']],
      ];
      const around = places.find(([, variables]) => name in asMapping(variables))?.[0] ?? stepAt;
      const path = [...around, 'env', name];
      const remedy = `Revoke it, store a new one as a secret, and write \`\${{ secrets.${name} }}\`.`;
      if (!isComputed(value)) return [problem('error', path, `a key is in the file`, remedy)];
      const [, secret] = /^\$\{\{\s*secrets\.(\w+)\s*\}\}$/.exec(value) ?? [];
      if (secret === undefined || secret === name) return [];
      const message = `\`${name}\` gets the secret \`${secret}\`, which has another name`;
      return [problem('note', path, message, 'See whether `gh secret list` names it.')];
    }),

  // Permissions.
  (use) => {
    const { jobAt, inputs, job, workflow } = use;
    if (isCalled(use) || !isRun(use) || inputs['github-token'] !== undefined) return [];
    if (job['permissions'] !== undefined || workflow['permissions'] !== undefined) return [];
    const remedy = 'Add the six lines of the first workflow (docs/getting-started.md).';
    const message = "`permissions:` is missing, so that the repository's setting decides";
    return [problem('warning', jobAt, message, remedy)];
  },
  missingPermissions,

  // Comments.
  (use) => {
    if (!isReviewer(use) || !isOnPulls(use) || isCalled(use)) return [];
    const hears = (event: string) => [use, ...use.others].some(({ events }) => events.has(event));
    const rows = [
      [
        'issue_comment',
        'warning',
        'reviews offer `/axe` commands, and comments do not start this workflow',
      ],
      [
        'pull_request_review_comment',
        'note',
        'an answer to a finding counts only at the next push',
      ],
    ] as const;
    return rows.flatMap(([event, level, message]) =>
      hears(event)
        ? []
        : [problem(level, ['on'], message, `Add \`${event}: { types: [created] }\` to \`on:\`.`)],
    );
  },
  (use) => {
    const { inputs, stepAt, jobAt, condition } = use;
    if (!isOnComments(use) || !isRun(use) || isCalled(use)) return [];
    const phrase = inputs['trigger-phrase'];
    if (phrase === undefined && inputs['prompt'] === undefined) {
      const message = 'each comment of a writer asks the model';
      return [problem('warning', [...stepAt, 'with'], message, 'Add `trigger-phrase: /axe`.')];
    }
    if (condition === '') {
      const message = 'each comment starts a runner';
      return [problem('note', jobAt, message, 'Add the `if:` of the first workflow.')];
    }
    if (phrase === undefined || isComputed(phrase)) return [];
    const [first = ''] = wordsInComments(condition);
    const isLookedFor = wordsInComments(condition).some((word) => overlaps(word, phrase));
    if (first === '' || isLookedFor) return [];
    const remedy = `Write \`contains(github.event.comment.body, '${phrase}')\`.`;
    const message = `\`if:\` looks for \`${first}\`, and \`trigger-phrase\` is \`${phrase}\``;
    return [problem('warning', [...jobAt, 'if'], message, remedy)];
  },
  (use) => {
    const rival = use.others.find((candidate) => answerTheSame(use, candidate));
    if (rival === undefined) return [];
    const message = `${rival.file} answers the same comments`;
    const remedy = 'Write `!github.event.issue.pull_request` into the `if:` of the one for issues.';
    return [problem('warning', ['on', 'issue_comment'], message, remedy)];
  },

  // Events.
  (use) =>
    ['pull_request', 'pull_request_target'].flatMap((event) => {
      const types = use.events.get(event)?.['types'];
      if (!isReviewer(use) || !Array.isArray(types)) return [];
      if (!types.includes('opened') || types.includes('synchronize')) return [];
      const message = `\`types\` leaves out \`synchronize\`, so that pushes are not reviewed`;
      return [problem('warning', ['on', event, 'types'], message, 'Add `synchronize` to it.')];
    }),
  (use) => {
    const settings = use.events.get('pull_request_target');
    if (settings === undefined || use.condition.includes('head.repo')) return [];
    const types = settings['types'];
    if (use.events.has('issue_comment') || (Array.isArray(types) && types.includes('labeled')))
      return [];
    const message = 'no label can start a run, so that no fork is ever reviewed';
    const remedy = 'Add `labeled` to `types:`, as examples/workflows/public.yml does.';
    return [problem('warning', ['on', 'pull_request_target'], message, remedy)];
  },
  (use) => {
    const readsForks = [use, ...use.others].some(({ events }) => events.has('pull_request_target'));
    const isForForks = use.events.has('pull_request') && !/head\.repo|\.fork\b/.test(use.condition);
    // A key that is not a secret of Actions reaches forks too.
    const needsSecret = Object.values(use.env).some((value) => value.includes('secrets.'));
    if (!isReviewer(use) || !isForForks || readsForks || !needsSecret || isCalled(use)) return [];
    const message =
      'GitHub gives runs for forks no secrets, and each starts a runner only to be skipped';
    const remedy = 'Add the `if:` of the first workflow, or take examples/workflows/public.yml.';
    return [problem('note', ['on', 'pull_request'], message, remedy)];
  },
  ({ events, inputs }) =>
    ['pull_request', 'pull_request_target'].flatMap((event) => {
      const settings = events.get(event) ?? {};
      const key = ['paths', 'paths-ignore'].find((name) => name in settings);
      if (key === undefined || inputs['check-run'] !== 'true') return [];
      const message = `a required check waits forever if \`${key}\` starts no run`;
      return [problem('note', ['on', event, key], message, 'Use the input `paths` instead.')];
    }),
  ({ events, job, jobAt }) => {
    const index = asSteps(job).findIndex(checksOutHead);
    if (!events.has('pull_request_target') || index === -1) return [];
    const message = "a stranger's commit is checked out next to your secrets";
    const path = [...jobAt, 'steps', index];
    return [problem('error', path, message, 'Remove the checkout: the action needs none.')];
  },

  concurrencyProblems,

  ({ inputs, events, stepAt, agent }) => {
    if (inputs['memory-store'] !== 'cache' || agent?.memory.enabled !== true) return [];
    const event = [...events.keys()].find((name) => NOT_CACHED.includes(name));
    if (event === undefined) return [];
    const message = `the Actions cache keeps nothing of runs on \`${event}\``;
    const path = [...stepAt, 'with', 'memory-store'];
    return [problem('warning', path, message, 'Write `memory-store: branch`.')];
  },
];

const BRANCHES = ['main', 'master', 'develop', 'trunk', 'HEAD'];
const NOT_CACHED = ['issues', 'issue_comment', 'pull_request_target', 'release', 'merge_group'];

function problem(level: Level, path: YamlPath, message: string, remedy: string): WorkflowProblem {
  return { level, path, message, remedy };
}

/** The scopes that the job's token lacks, with the most important use of each. */
export function missingPermissions(use: CheckedUse): readonly WorkflowProblem[] {
  const { job, jobAt, workflow, inputs, events, env, condition, agent } = use;
  const isOfJob = job['permissions'] !== undefined;
  const permissions = isOfJob ? job['permissions'] : workflow['permissions'];
  if (permissions === undefined || permissions === 'write-all' || isCalled(use)) return [];
  // A token of its own has permissions of its own; a computed value can mean anything.
  const isUnknown = 'github-token' in inputs || DECISIVE.some((name) => isComputed(inputs[name]));
  if (!isRun(use) || agent === undefined || isUnknown) return [];

  const granted = (scope: string) =>
    permissions === 'read-all' ? 'read' : asText(asMapping(permissions)[scope]);
  const facts = { events: [...events.keys()], inputs, agent, env, script: '', condition };
  const missing = NEEDS.filter(({ scope, level, isNeeded }) => {
    if (!isNeeded(facts)) return false;
    return level === 'write'
      ? granted(scope) !== 'write'
      : !LEVELS.includes(granted(scope)) || granted(scope) === 'none';
  });
  const path = [...(isOfJob ? jobAt : []), 'permissions'];
  return [...new Set(missing.map(({ scope }) => scope))].map((scope) => {
    const needs = missing.filter((need) => need.scope === scope);
    const { level = 'read', purpose = '' } = needs.at(-1) ?? {};
    const isFatal = needs.some(({ isRequired }) => isRequired === true);
    const features = `${purpose.charAt(0).toLowerCase()}${purpose.slice(1)}`;
    const message = `\`${scope}: ${level}\` is missing, and these need it: ${features}`;
    const remedy = `Add \`${scope}: ${level}\` to \`permissions:\`.`;
    return problem(isFatal ? 'error' : 'warning', [...path, scope], message, remedy);
  });
}

/** Inputs that decide which permissions a run needs. */
const DECISIVE = ['agent', 'mode', 'memory-store', 'comment', 'report-to', 'check-run'];

function concurrencyProblems(use: CheckedUse): readonly WorkflowProblem[] {
  const { workflow, job, jobAt } = use;
  if (!isReviewer(use) || !isOnPulls(use) || isCalled(use)) return [];
  const isOfJob = job['concurrency'] !== undefined;
  const concurrency = isOfJob ? job['concurrency'] : workflow['concurrency'];
  const first = 'the `concurrency:` of the first workflow';
  if (concurrency === undefined) {
    const message = 'two pushes in a row are reviewed at the same time';
    return [problem('note', jobAt, message, `Add ${first}.`)];
  }

  const path = [...(isOfJob ? jobAt : []), 'concurrency'];
  const settings =
    typeof concurrency === 'string' ? { group: concurrency } : asMapping(concurrency);
  const group = asText(settings['group']);
  const problems: WorkflowProblem[] = [];
  if (settings['cancel-in-progress'] === true) {
    const message = 'a push cancels a review that could be saving what it learned';
    const place = [...path, 'cancel-in-progress'];
    problems.push(problem('warning', place, message, 'Remove the line: a newer push waits.'));
  }
  if (!isOfJob && isOnComments(use) && job['if'] !== undefined) {
    const message = "anybody's comment replaces a run that waits: the group is above `if:`";
    problems.push(problem('warning', path, message, 'Move `concurrency:` into the job.'));
  }
  const isOwnGroup = /comment\.id|run_id|inputs\.|vars\./.test(group) || 'queue' in settings;
  if (isOnComments(use) && !isOwnGroup) {
    const message = 'a second command replaces one that waits';
    const remedy = `Take ${first}, whose group has \`github.event.comment.id\`.`;
    problems.push(problem('warning', path, message, remedy));
  }
  return problems;
}

function isRun({ inputs }: ActionUse): boolean {
  return (inputs['mode'] ?? 'run') === 'run';
}

/** Another workflow decides about events, secrets and permissions. */
function isCalled({ events }: ActionUse): boolean {
  return events.has('workflow_call');
}

function isReviewer(use: CheckedUse): boolean {
  return isRun(use) && use.agent?.tools.includes('submit_review') === true;
}

function isOnPulls({ events }: ActionUse): boolean {
  return events.has('pull_request') || events.has('pull_request_target');
}

function isOnComments({ events }: ActionUse): boolean {
  return events.has('issue_comment') || events.has('pull_request_review_comment');
}

/** The models of a step that can be known here: of its input, or else of its agent. */
function modelsOf({ inputs, agent }: CheckedUse) {
  const words = (inputs['model'] ?? agent?.model ?? '').split(/[,\n]/);
  return words.flatMap((word) => {
    const isName = /^[\w-]+\/\S+$/.test(word.trim());
    return isName && !isComputed(word) ? [parseModelRef(word.trim())] : [];
  });
}

/** The texts that a condition looks for in a comment. */
function wordsInComments(condition: string): readonly string[] {
  const calls = condition.matchAll(/\((?:[^()']*\.)?comment\.body,\s*'([^']*)'\)/g);
  return [...calls].map(([, word = '']) => word);
}

function overlaps(a: string, b: string): boolean {
  const [first, second] = [a.toLowerCase(), b.toLowerCase()];
  return first.includes(second) || second.includes(first);
}

/** Judged only for one phrase, and conditions that separate issues from pull requests or do not. */
function answerTheSame(a: CheckedUse, b: CheckedUse): boolean {
  if (a.file >= b.file || ![a, b].every((use) => use.events.has('issue_comment') && isRun(use)))
    return false;
  const [phrase, otherPhrase] = [a, b].map(({ inputs }) => inputs['trigger-phrase'] ?? '');
  if (phrase !== otherPhrase || isComputed(phrase) || isCalled(a) || isCalled(b)) return false;
  const kinds = [a, b].map(({ condition }) => {
    if (isForIssuesAlone(condition)) return 'issues';
    return isForPullsAlone(condition) ? 'pulls' : 'all';
  });
  return kinds[0] === kinds[1] || kinds.includes('all');
}

function checksOutHead(step: Readonly<Record<string, unknown>>): boolean {
  if (!asText(step['uses']).startsWith('actions/checkout@')) return false;
  const ref = asText(asMapping(step['with'])['ref']);
  return /pull_request\.head|head_ref|refs\/pull\//.test(ref);
}
