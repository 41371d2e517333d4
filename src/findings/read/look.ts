import type { PullRequestConversation } from '../../github/reading/conversation.js';
import { type FindingChanges, Ledger } from '../decide/ledger.js';
import { isNews, isOfRecord, isTold, type KnownFinding } from '../known-finding.js';
import { toldRevsIn } from './read-ledger.js';

/** Findings, and what is to be said of them. */
interface Decided {
  readonly ledger: Ledger;
  readonly news: FindingChanges;
}

/**
 * Looks once more before anything is said, and leaves out what a text says by now. Nothing is
 * decided: the record is saved, and people's gestures since then are for the next run.
 */
export function withoutSaid({ ledger, news }: Decided, seen: PullRequestConversation): Decided {
  const toldRevs = toldRevsIn(seen);
  const findings = ledger.findings.map((finding) => ({
    ...finding,
    toldRev: Math.max(finding.toldRev, toldRevs.get(finding.id) ?? 0),
    thread: seen.threads.find(({ id }) => id === finding.thread?.id) ?? finding.thread,
  }));
  const looked = new Ledger(ledger.context, seen, findings, ledger.heard);
  const { ended, back, ...rest } = filterNews(news, (id) => {
    const finding = looked.byId(id);
    return finding !== undefined && isNews(finding);
  });
  const readAgain = ({ id }: KnownFinding) => looked.byId(id) ?? [];
  return {
    ledger: looked,
    news: { ...rest, ended: ended.flatMap(readAgain), back: back.flatMap(readAgain) },
  };
}

/**
 * Keeps what a run has decided itself, and what the record had when it began and no text said. A
 * decision that another run has made since is said by that run.
 */
export function withoutOthers({ ledger, news }: Decided, start: Ledger): FindingChanges {
  return filterNews(news, (id) => {
    const finding = ledger.byId(id);
    const before = start.byId(id);
    const wasUnsaid = before !== undefined && isOfRecord(before) && !isTold(before);
    if (finding === undefined || !isOfRecord(finding)) return true;
    return wasUnsaid && before.rev === finding.rev;
  });
}

/** The run's own decisions, without those of earlier runs. */
export function withoutEarlier({ ledger, news }: Decided): FindingChanges {
  return filterNews(news, (id) => {
    const finding = ledger.byId(id);
    return finding === undefined || !isOfRecord(finding);
  });
}

function filterNews(news: FindingChanges, isKept: (id: string) => boolean): FindingChanges {
  return {
    ...news,
    fresh: news.fresh.filter(({ finding }) => isKept(finding.id)),
    ended: news.ended.filter(({ id }) => isKept(id)),
    back: news.back.filter(({ id }) => isKept(id)),
  };
}

/** Something was decided that is to be said. */
export function hasNews({ news: { fresh, ended, back } }: Pick<Decided, 'news'>): boolean {
  return fresh.length + ended.length + back.length > 0;
}

/** Something was decided by an earlier run, and no text says it. */
export function hasEarlierNews({ ledger, news }: Decided): boolean {
  const ownNews = withoutEarlier({ ledger, news });
  return (
    ownNews.fresh.length < news.fresh.length ||
    ownNews.ended.length < news.ended.length ||
    ownNews.back.length < news.back.length
  );
}
