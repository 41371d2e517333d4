import { basename } from 'node:path';
import { type AgentConfig, parseModelRef } from '../agent/config.js';
import type { KeyPath } from '../agent/keys.js';
import { AxeError } from '../lib/errors.js';
import { nearestModel } from '../model/model-facts.js';
import { hasInstructions } from './plan.js';
import type { Fault } from './records.js';
import { GUARDED_TOOLS } from './tools.js';

/** An agent's file, which can be read. */
interface AgentFacts {
  readonly file: string;
  readonly config: AgentConfig;
}

/** A mistake that a run does not end with, or not with its cause. */
interface AgentProblem extends Pick<Fault, 'severity' | 'message' | 'remedy'> {
  readonly path: KeyPath;
}

type AgentCheck = (facts: AgentFacts) => AgentProblem | readonly AgentProblem[] | undefined;

/** Each row: something legal in an agent's file that cannot work, or works unlike it looks. */
export const AGENT_CHECKS: readonly AgentCheck[] = [
  ({ config }) => {
    if (hasInstructions(config, '') || config.model.toLowerCase().startsWith('offline/'))
      return undefined;
    return {
      severity: 'error',
      path: [],
      message: 'the agent has no instructions: neither `system_prompt` nor `skill` nor `files`',
      remedy: 'Say in `system_prompt` what it should do.',
    };
  },

  ({ config: { tools } }) =>
    tools.includes('add_review_comment') && !tools.includes('submit_review')
      ? {
          severity: 'warning',
          path: ['tools'],
          message: 'the agent can report findings, and cannot end its review',
          remedy: 'Add `submit_review` to `tools`.',
        }
      : undefined,

  ({ config: { params } }) => {
    const { temperature = 0 } = params;
    if (temperature >= 0 && temperature <= HOTTEST) return undefined;
    return {
      severity: 'error',
      path: ['params', 'temperature'],
      message: `params.temperature is ${temperature}, and models take 0 to ${HOTTEST}`,
      remedy: 'Write for example `temperature = 0.3`, or leave it out.',
    };
  },

  ({ file, config: { name } }) => {
    const id = basename(file, '.toml');
    if (name === id) return undefined;
    return {
      severity: 'note',
      path: ['name'],
      message: `\`name\` is ${JSON.stringify(name)}, and the agent is started as ${JSON.stringify(id)}, after its file`,
      remedy: 'Give both the same name.',
    };
  },

  ({ config: { model, review } }) =>
    (
      [
        [model, ['model']],
        [review.verifyModel, ['review', 'verify_model']],
      ] as const
    ).flatMap(([name, path]) => unknownModel(name, path) ?? []),

  ({ config: { tools } }) => {
    const guarded = tools.filter((tool) => GUARDED_TOOLS.includes(tool));
    if (guarded.length === 0) return undefined;
    return {
      severity: 'note',
      path: ['tools'],
      message: 'a workflow also has to allow some of these tools',
      remedy: `Write \`tools-allowed: ${guarded.join(', ')}\` there.`,
    };
  },

  ({ config }) =>
    pathsOf(config).flatMap(([path, text]) => {
      if (!ESCAPED.test(text)) return [];
      const written = text.replaceAll(new RegExp(ESCAPED, 'g'), (character) =>
        JSON.stringify(character).slice(1, -1),
      );
      return {
        severity: 'warning',
        path,
        message: `\`${path.filter((key) => typeof key === 'string').join('.')}\` holds a line break or another control character: in double quotes a backslash begins an escape`,
        remedy: `Write \`'${written}'\`, in single quotes.`,
      };
    }),
];

/** The highest value that any provider takes. */
const HOTTEST = 2;

/** The characters of TOML's escapes `\b \t \n \f \r`. */
const ESCAPED = /[\b\t\n\f\r]/;

function unknownModel(name: string, path: KeyPath): AgentProblem | undefined {
  try {
    const nearest = nearestModel(parseModelRef(name));
    if (nearest === undefined) return undefined;
    const message = `\`${name}\` is not among the models that we know`;
    return { severity: 'note', path, message, remedy: `Did you mean \`${nearest}\`?` };
  } catch (thrown) {
    // A wrong form is an error, and is reported as one.
    if (thrown instanceof AxeError) return undefined;
    throw thrown;
  }
}

function pathsOf({
  skill,
  workdir,
  files,
  memory,
  artifacts,
  review,
}: AgentConfig): readonly (readonly [KeyPath, string])[] {
  return [
    [['skill'], skill],
    [['workdir'], workdir],
    ...files.map((file, index) => [['files', index], file] as const),
    [['memory', 'path'], memory.path],
    [['memory', 'dir'], memory.dir],
    [['artifacts', 'dir'], artifacts.dir],
    [['review', 'instructions'], review.instructions],
  ];
}
