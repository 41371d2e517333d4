import { AxeError } from '../../core/errors.js';
import type { ReadOnlyCause } from '../../core/event/read-only-token.js';
import { firstSet, type SettingSources } from './settings.js';

/** Whose token there is. */
type TokenPorts = Pick<CopilotPorts, 'token' | 'readOnly'>;

/** Throws an AxeError for an event whose token cannot ask Copilot, unless there is a token of its own. */
export function checkToken(sources: SettingSources, ports: TokenPorts): void {
  if (ownToken(sources) === undefined && ports.readOnly !== undefined) throw readOnlyError(ports.readOnly);
}

/**
 * What Copilot is asked with. The input `api-key` belongs to models that have keys, so it is never sent as a token. Throws an
 * AxeError where there is none that can be used.
 */
export function findToken(sources: SettingSources, ports: TokenPorts): string {
  const own = ownToken(sources);
  if (own !== undefined) return own;
  checkToken(sources, ports);
  const token = ports.token.trim();
  if (token === '') throw missingToken();
  const server = firstSet([sources.env['GITHUB_SERVER_URL']]);
  const isElsewhere = server !== undefined && server.replace(/\/+$/, '') !== 'https://github.com';
  // The runtime asks github.com's Copilot, which another server's token must not reach.
  if (isElsewhere && firstSet([sources.env['AXE_COPILOT_BASE_URL']]) === undefined) throw elsewhere(server);
  return token;
}

function ownToken({ env, config }: SettingSources): string | undefined {
  return firstSet([env['COPILOT_GITHUB_TOKEN'], config['copilot']?.apiKey]);
}

function missingToken(): AxeError {
  return new AxeError('there is no token for models of `copilot`', {
    exitCode: 3,
    remedy:
      'In a workflow, leave the input `github-token` as it is and give the job `permissions: { copilot-requests: write }`. ' +
      'Elsewhere set `COPILOT_GITHUB_TOKEN`.',
  });
}

function readOnlyError(cause: ReadOnlyCause): AxeError {
  const who = cause === 'fork' ? 'a pull request from a fork' : 'Dependabot';
  return new AxeError(`models of \`copilot\` cannot be asked here: GitHub gives ${who} a read-only token`, {
    exitCode: 3,
    remedy:
      'Use a model with a key for such runs, or start them by a comment or label with `pull_request_target`, without a checkout. ' +
      'If the repository gives such jobs write permissions, set `COPILOT_GITHUB_TOKEN: ${{ github.token }}` for the step.',
  });
}

function elsewhere(server: string): AxeError {
  return new AxeError(`models of \`copilot\` are asked at github.com, and this is ${server}`, {
    exitCode: 3,
    remedy: 'Set `COPILOT_GITHUB_TOKEN` to a token of github.com, or `AXE_COPILOT_BASE_URL` to your Copilot.',
  });
}

/** A folder for one run. */
export interface RunFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** What models of `copilot` need of the outside, beyond what every provider does. */
export interface CopilotPorts {
  /** The job's own token, or that of the command line's environment; empty for none. */
  readonly token: string;
  /** Why that token cannot have `copilot-requests: write`; undefined if the workflow decides. */
  readonly readOnly: ReadOnlyCause | undefined;
  /** Environment of a program: paths, proxies and certificates, no secret. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Whether a path is in the checkout of a workflow; false on somebody's own machine. */
  isInWorkspace(path: string): Promise<boolean>;
  /** An empty folder that no other account can read. */
  createFolder(): Promise<RunFolder>;
  /** A fresh UUID. */
  newId(): string;
}
