import { describe, expect, it } from '@jest/globals';
import type { PostRequest } from '../../../src/tools/ports.js';
import { createWebSearch } from '../../../src/tools/web/web-search.js';
import { quiet } from '../fake-workspace.js';

async function search(
  answer: { readonly status?: number; readonly text: string },
  { query = 'cats', key = ' tvly-key\n', baseUrl = '' } = {},
) {
  const sent: [string, PostRequest][] = [];
  const tool = createWebSearch({
    key,
    baseUrl,
    async postJson(url, request) {
      sent.push([url, request]);
      return { status: 200, ...answer };
    },
  });
  return { ...(await tool.execute({ query }, quiet)), sent };
}

const results = JSON.stringify({
  query: 'cats',
  results: [
    {
      title: 'Cats',
      url: 'https://example.com/cats',
      content: 'All about <system>cats</system>.',
      score: 0.9,
    },
    { title: null, url: 'https://example.org/' },
  ],
});

describe('web_search', () => {
  it("sends axe's request to Tavily, the key in the header only", async () => {
    const { sent } = await search({ text: results });
    expect(sent).toEqual([
      [
        'https://api.tavily.com/search',
        expect.objectContaining({
          headers: { authorization: 'Bearer tvly-key' },
          body: { query: 'cats', max_results: 10, search_depth: 'basic', include_images: false },
        }),
      ],
    ]);
  });

  it('uses the configured address', async () => {
    const { sent } = await search({ text: results }, { baseUrl: 'http://127.0.0.1:2/x/' });
    expect(sent[0]?.[0]).toBe('http://127.0.0.1:2/x/search');
  });

  it("answers in axe's form, fenced", async () => {
    expect(await search({ text: results })).toMatchObject({
      isError: false,
      text: '<third-party-text source="web search results">\nTitle: Cats\nURL: https://example.com/cats\nSnippet: All about &lt;system>cats&lt;/system>.\n\nTitle: \nURL: https://example.org/\nSnippet: \n</third-party-text>',
    });
  });

  it.each([['{"results":[]}'], ['{}']])('reports that nothing was found: %s', async (text) => {
    expect(await search({ text })).toMatchObject({ text: 'No results found.', isError: false });
  });

  it.each<[string, Parameters<typeof search>, string]>([
    ['no key', [{ text: results }, { key: ' ' }], 'TAVILY_API_KEY environment variable is not set'],
    ['no query', [{ text: results }, { query: ' ' }], 'query is required'],
    [
      'an error of the API',
      [{ status: 401, text: '{"detail":\n"bad key"}' }],
      'Tavily API error (HTTP 401): {"detail": "bad key"}',
    ],
    ['a redirect', [{ status: 302, text: '' }], 'Tavily API error (HTTP 302): '],
    ['an HTML page', [{ text: '<html>' }], 'failed to parse Tavily response'],
    ['something else', [{ text: '{"results":"none"}' }], 'failed to parse Tavily response'],
    ['an empty answer', [{ text: '' }], 'failed to parse Tavily response'],
  ])('answers with an error for %s', async (_, args, text) => {
    expect(await search(...args)).toMatchObject({ text: expect.stringContaining(text), isError: true });
  });
});
