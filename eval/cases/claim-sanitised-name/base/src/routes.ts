import { latestReport } from './reports.js';

export const routes = {
  '/report': async () => await latestReport(),
};
