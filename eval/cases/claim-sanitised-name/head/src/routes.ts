import { latestReport, readReport } from './reports.js';

export const routes = {
  '/report': async () => await latestReport(),
  '/reports': async (query: URLSearchParams) => await readReport(query.get('name') ?? ''),
};
