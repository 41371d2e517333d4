import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { convertActionTemplate, parseAction } from '@actions/workflow-parser/actions/index';

/** A workflow as text, by the name it is known under. */
export interface WorkflowText {
  readonly name: string;
  readonly content: string;
}

/** A workflow that another one calls, by `owner/name/path@ref`. */
export type CalledWorkflows = Readonly<Record<string, string>>;

/**
 * What GitHub's own parser has against a workflow: keys, events, permissions, expressions and the contexts they may
 * read, and inputs and secrets of workflows it calls. Nothing for a workflow that GitHub would take.
 */
export async function workflowErrors(
  file: WorkflowText,
  called: CalledWorkflows = {},
): Promise<readonly string[]> {
  const { context, value } = parseWorkflow(file, new NoOperationTraceWriter());
  if (value !== undefined) {
    const files = {
      async getFileContent(ref: object) {
        const address =
          'owner' in ref && 'repository' in ref && 'path' in ref && 'version' in ref
            ? `${ref.owner}/${ref.repository}/${ref.path}@${ref.version}`
            : '';
        const content = called[address];
        if (content === undefined) throw new Error(`there is no workflow ${address}`);
        return { name: address, content };
      },
    };
    await convertWorkflowTemplate(context, value, files, { fetchReusableWorkflowDepth: 1 });
  }
  return context.errors.getErrors().map(({ message }) => message);
}

/**
 * What the runner has against an `action.yml` when it loads the action: keys and values that its schema does not know,
 * and expressions outside of the defaults of inputs. It evaluates descriptions too, but with no context, so that any
 * expression in one refuses the action. GitHub's own parser takes a description for text, so that is looked for here.
 */
export function actionErrors(file: WorkflowText): readonly string[] {
  const { context, value } = parseAction(file, new NoOperationTraceWriter());
  if (value !== undefined) convertActionTemplate(context, value);
  const expressions = file.content.split('\n').flatMap((line, index) => {
    const isAllowed = !line.includes('${{') || /^\s+default:\s/.test(line);
    return isAllowed ? [] : [`${file.name}:${index + 1}: an expression outside of \`default:\``];
  });
  return [...context.errors.getErrors().map(({ message }) => message), ...expressions];
}

/** What GitHub makes of a condition (`if:`), with the contexts given. Throws for one that is not an expression. */
export function isMet(condition: string, contexts: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(contexts);
  const expression = new Parser(new Lexer(condition).lex().tokens, names, []).parse();
  const values: unknown = JSON.parse(JSON.stringify(contexts), data.reviver);
  if (!(values instanceof data.Dictionary)) throw new Error('the contexts are no object');
  return new Evaluator(expression, values).evaluate().coerceString() === 'true';
}
