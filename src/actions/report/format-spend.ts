import type { Spend } from '../../core/loop/spend.js';
import { usd } from '../../core/text/usd.js';
import { sections } from './markdown.js';

/** Fewer days are no history. */
const MIN_DAYS = 2;

/** What the limits over several runs have come to, where there are any; with what earlier days cost as a chart. */
export function formatSpend(spend: Spend, costUsd = 0): string {
  const { limits, pull, pullUsd, dayUsd } = spend;
  const parts = [
    ...(limits.perPullUsd > 0 && pull !== undefined
      ? [`${usd(pullUsd + costUsd)} of ${usd(limits.perPullUsd)} on #${pull}`]
      : []),
    ...(limits.perDayUsd > 0 ? [`${usd(dayUsd + costUsd)} of ${usd(limits.perDayUsd)} today (UTC)`] : []),
  ];
  const line = parts.length === 0 ? '' : `**Spent by this agent:** ${parts.join(', ')}.`;
  return sections([line, formatChart(spend, costUsd)]);
}

function formatChart({ limits, day, dayUsd, days }: Spend, costUsd: number): string {
  const all = [...days.filter((one) => one.day !== day), { day, usd: dayUsd + costUsd }];
  if (all.length < MIN_DAYS) return '';
  const limit = limits.perDayUsd;
  const most = Math.max(limit, ...all.map((one) => one.usd));
  if (most <= 0) return '';
  const amount = (dollars: number) => String(Number(dollars.toFixed(4)));
  return [
    '```mermaid',
    'xychart-beta',
    `  title "US dollars a day${limit > 0 ? ', and the limit' : ''}"`,
    `  x-axis [${all.map((one) => `"${one.day.slice(5)}"`).join(', ')}]`,
    `  y-axis "US dollars" 0 --> ${amount(most)}`,
    `  bar [${all.map((one) => amount(one.usd)).join(', ')}]`,
    ...(limit > 0 ? [`  line [${all.map(() => amount(limit)).join(', ')}]`] : []),
    '```',
  ].join('\n');
}
