/**
 * The kind of GitHub's refusal, by its remedy. `denied` needs another token or permission,
 * `rate-limited` patience, `too-much` a smaller query, `moved` another look, `unavailable` another
 * attempt, `invalid` another request; `missing` can also hide a missing permission.
 */
export type GitHubErrorReason =
  | 'denied'
  | 'rate-limited'
  | 'missing'
  | 'too-large'
  | 'too-much'
  | 'moved'
  | 'invalid'
  | 'unavailable';

/** A refusal for which a caller has something better to do than to fail. */
export type RefusalSubject =
  | 'changes-request'
  | 'line'
  | 'done'
  | 'account'
  | 'pull-request'
  | 'archived'
  | 'secret'
  | 'rules'
  | 'empty'
  | 'sign-on';

export interface Refusal {
  readonly words: RegExp;
  readonly reason: GitHubErrorReason;
  readonly about?: RefusalSubject;
  /** A row of docs/reference/refusals.md: GitHub's words as people meet them, and a remedy. */
  readonly help?: { readonly shown: string; readonly remedy: string };
}

/**
 * Known refusals by GitHub's own words: GitHub gives the same refusal several statuses and GraphQL
 * types, and documents few of them. The first row that matches counts, and no other file of src/
 * knows these words. Each was met in public, see `__tests__/github/client/refusals.json`.
 */
const REFUSALS: readonly Refusal[] = [
  // Nothing was carried out, and the same request works later.
  {
    words: /\brate limit|abuse detection/i,
    reason: 'rate-limited',
    help: {
      shown: 'rate limit exceeded',
      remedy:
        'The run waits as long as GitHub asks, if it has the time. If it happens often, [make fewer requests](cost-and-limits.md#what-a-run-costs)',
    },
  },
  {
    words: /"code":"abuse"|submitted too quickly/i,
    reason: 'rate-limited',
    help: {
      shown: 'was submitted too quickly',
      remedy: 'Nothing: the run waits a minute and posts it then',
    },
  },
  // Nothing was carried out, and GitHub answers when it is asked for less.
  {
    words: /resource limits for this query/i,
    reason: 'too-much',
    help: {
      shown: 'Resource limits for this query exceeded',
      remedy: 'Resolve conversations that are done, or continue in a new pull request',
    },
  },
  {
    words: /too[_ ]large|exceeded the maximum|\bnot_available\b/i,
    reason: 'too-large',
  },
  // Another writer was first: read again, and repeat.
  {
    words:
      /expected branch to point to|\bis at \S+ but expected|not a fast[- ]forward|reference already exists|reference does not exist/i,
    reason: 'moved',
    help: {
      shown: 'Expected branch to point to …',
      remedy: 'Run the job again: somebody else pushed to the branch at the same moment',
    },
  },
  // It was done before.
  { words: /dismiss a dismissed/i, reason: 'invalid', about: 'done' },
  { words: /label does not exist/i, reason: 'missing', about: 'done' },
  { words: /\bis not a user\b/i, reason: 'missing', about: 'account' },
  // A review that is posted in another form.
  { words: /can ?not request changes/i, reason: 'invalid', about: 'changes-request' },
  { words: /commit(?:[_ ]?id|[_ ]?oid)? is not part of the pull request/i, reason: 'invalid' },
  {
    // Newer servers say "could not be resolved", older ones name the "review thread" and its fields.
    words:
      /(?:line|path) could not be resolved|must be part of the (?:diff|same hunk)|must precede the end line|review[_ ]thread|review comments is invalid|position is invalid/i,
    reason: 'invalid',
    about: 'line',
  },
  // Only a person can change these.
  {
    words: /not permitted to create/i,
    reason: 'denied',
    about: 'pull-request',
    help: {
      shown: 'GitHub Actions is not permitted to create or approve pull requests',
      remedy:
        'Allow GitHub Actions to create pull requests (Settings, Actions, General), or give a `github-token` that is allowed to',
    },
  },
  {
    words: /\barchived\b/i,
    reason: 'denied',
    about: 'archived',
    help: {
      shown: 'Repository was archived so is read-only',
      remedy: 'Unarchive the repository',
    },
  },
  {
    words: /\bGH009\b|push protection|contain secrets|secret detected/i,
    reason: 'invalid',
    about: 'secret',
    help: {
      shown: 'GH009: Secrets detected',
      remedy: 'Remove the secret, and replace it where it is valid',
    },
  },
  {
    words:
      /\bGH0(?:06|13)\b|rule violation|protected (?:branch|ref)|branch protection|through a pull request|approving review|required status check|not authorized to push|cannot force-push|reference update failed|being restricted|verified signatures/i,
    reason: 'denied',
    about: 'rules',
    help: {
      shown: 'Repository rule violations found',
      remedy:
        'Exclude the branch from the ruleset, or let the app that the token belongs to bypass it',
    },
  },
  {
    words: /repository is empty/i,
    reason: 'invalid',
    about: 'empty',
    help: {
      shown: 'Git Repository is empty',
      remedy: 'Give the repository a first commit, for example a README',
    },
  },
  {
    words: /\bSAML\b/,
    reason: 'denied',
    about: 'sign-on',
    help: {
      shown: 'Resource protected by organization SAML enforcement',
      remedy: "Authorize the token for the organization's single sign-on",
    },
  },
  {
    words: /not accessible by|must have (?:push|admin) access|insufficient scopes/i,
    reason: 'denied',
    help: {
      shown: 'Resource not accessible by integration',
      remedy: 'Add the permission that the message names under `permissions:` of the job',
    },
  },
  {
    words: /something went wrong|timed out|timeout/i,
    reason: 'unavailable',
    help: {
      shown: 'Something went wrong while executing your query',
      remedy: '[GitHub is having problems](https://www.githubstatus.com): run the job again later',
    },
  },
];

/** The row for GitHub's words; undefined if they are in none. */
export function knownRefusal(text: string): Refusal | undefined {
  return REFUSALS.find(({ words }) => words.test(text));
}

/** The rows of docs/reference/refusals.md, for `scripts/docs.js`. @internal */
export function formatRefusalTable(): string {
  const rows = REFUSALS.flatMap(({ help }) =>
    help === undefined ? [] : `| \`${help.shown}\` | ${help.remedy} |`,
  );
  return ['| GitHub says | Do |', '| --- | --- |', ...rows].join('\n');
}
