import { describe, expect, it } from '@jest/globals';
import {
  joinQueries,
  type QueryAnswer,
  type QueryText,
} from '../../../../src/adapters/github/client/join-queries.js';
import { noAbort } from '../../../helpers/github-client-fake.js';

const PULL: QueryText = {
  query: `query ($owner: String!, $number: Int!) {
  repository(owner: $owner) {
    pullRequest(number: $number) { ...text ... on PullRequest { number } }
  }
}
fragment text on PullRequest { title }`,
  variables: { owner: 'octocat', number: 42 },
};
const VIEWER: QueryText = {
  query: `query ($first: Int!) {
  viewer { issues(first: $first) { ...text } }
}
fragment text on IssueConnection { totalCount }`,
  variables: { first: 5 },
};
const MUTATION: QueryText = {
  query: 'mutation ($input: AddReactionInput!) { addReaction(input: $input) { clientMutationId } }',
  variables: {},
};

type Reply = Partial<QueryAnswer> | Error;

/** Answers one request after the other with what the test says. */
function server(...replies: readonly Reply[]) {
  const sent: QueryText[] = [];
  const ask = joinQueries(
    async (question) => {
      const reply = replies[sent.length] ?? {};
      sent.push(question);
      if (reply instanceof Error) throw reply;
      return { data: null, errors: [], headers: {}, ...reply };
    },
    (errors) => JSON.stringify(errors).includes('RATE_LIMITED'),
  );
  return { sent, ask };
}

describe('queries that are asked at the same time', () => {
  it('are one request, in which each has variables and fragments of its own', async () => {
    const { sent, ask } = server({ data: { q0: { pullRequest: {} }, q1: { issues: {} } } });
    const signal = noAbort();
    const answers = await Promise.all([ask(PULL, signal), ask(VIEWER, signal)]);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.query.replaceAll(/\s+/g, ' ').trim()).toBe(
      'query ($q0_owner: String!, $q0_number: Int!, $q1_first: Int!) { ' +
        'q0: repository(owner: $q0_owner) { pullRequest(number: $q0_number) { ...q0_text ... on PullRequest { number } } } ' +
        'q1: viewer { issues(first: $q1_first) { ...q1_text } } } ' +
        'fragment q0_text on PullRequest { title } fragment q1_text on IssueConnection { totalCount }',
    );
    expect(sent[0]?.variables).toEqual({ q0_owner: 'octocat', q0_number: 42, q1_first: 5 });
    expect(answers.map(({ data }) => data)).toEqual([
      { repository: { pullRequest: {} } },
      { viewer: { issues: {} } },
    ]);
  });

  it('get only the errors whose path leads to them', async () => {
    const error = { type: 'FORBIDDEN', message: 'no', path: ['q1', 'issues'] };
    const { sent, ask } = server({ data: { q0: { pullRequest: {} }, q1: null }, errors: [error] });
    const signal = noAbort();
    const [pull, viewer] = await Promise.all([ask(PULL, signal), ask(VIEWER, signal)]);
    expect(sent).toHaveLength(1);
    expect(pull).toMatchObject({ data: { repository: { pullRequest: {} } }, errors: [] });
    expect(viewer).toMatchObject({ data: { viewer: null }, errors: [error] });
  });

  it.each([
    ['has an error without a path', { errors: [{ message: "Field 'x' doesn't exist on type 'User'" }] }],
    ['leads elsewhere', { errors: [{ message: 'no', path: ['query', 'x'] }] }],
  ])('are asked one by one where the answer %s', async (_, refusal) => {
    const { sent, ask } = server(refusal, { data: 1 }, { data: 2 });
    const signal = noAbort();
    const answers = await Promise.all([ask(PULL, signal), ask(VIEWER, signal)]);
    expect(sent.slice(1)).toEqual([PULL, VIEWER]);
    expect(answers.map(({ data }) => data)).toEqual([1, 2]);
  });

  it('are not asked again where the token has asked too much', async () => {
    const errors = [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }];
    const { sent, ask } = server({ errors });
    const signal = noAbort();
    const answers = await Promise.all([ask(PULL, signal), ask(VIEWER, signal)]);
    expect(sent).toHaveLength(1);
    for (const answer of answers) expect(answer.errors).toEqual(errors);
  });

  it('fail together where the request fails', async () => {
    const { ask } = server(new Error('no network'));
    const signal = noAbort();
    const results = await Promise.allSettled([ask(PULL, signal), ask(VIEWER, signal)]);
    expect(results).toMatchObject([
      { reason: { message: 'no network' } },
      { reason: { message: 'no network' } },
    ]);
  });
});

describe('a query', () => {
  it('goes as it is where nothing else is asked', async () => {
    const { sent, ask } = server({ data: 1 });
    expect(await ask(PULL, noAbort())).toMatchObject({ data: 1 });
    expect(sent).toEqual([PULL]);
  });

  it('does not wait for one that another signal ends', async () => {
    const { sent, ask } = server();
    await Promise.all([ask(PULL, noAbort()), ask(VIEWER, noAbort())]);
    expect(sent).toEqual([PULL, VIEWER]);
  });

  it.each([
    ['a mutation', MUTATION],
    ['a query with two fields at its top', { query: 'query ($a: Int!) { a { b } c { d } }', variables: {} }],
    ['a query with an alias at its top', { query: 'query ($a: Int!) { a: b { c } }', variables: {} }],
    ['a query without variables', { query: 'query { viewer { login } }', variables: {} }],
  ])('goes alone if it is %s', async (_, question) => {
    const { sent, ask } = server();
    const signal = noAbort();
    await Promise.all([ask(question, signal), ask(PULL, signal), ask(VIEWER, signal)]);
    expect(sent).toHaveLength(2);
    expect(sent[0]).toEqual(question);
  });
});
