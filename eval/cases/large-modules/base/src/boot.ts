export const name = 'boot';
