/** Why nothing is posted without a client, and what to do about it. */
export const NO_TOKEN = 'there is no `github-token`. Leave that input out to use the token of the job.';
