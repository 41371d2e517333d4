export function openMenu(state) {
  const menu = state && state.menus && state.menus.main;
  if (menu === undefined || menu === null || menu === false) return state;
  return { ...state, menus: { ...state.menus, main: { ...menu, isOpen: true } } };
}
