export function totalOf(cart) {
  return cart.items.reduce((sum, item) => sum + item.cents * item.count, 0);
}

/** The items of both carts; of what is in both, the counts are added. */
export function mergeCarts(own, guest) {
  const merged = own;
  for (const item of guest.items) {
    const same = merged.items.find((other) => other.sku === item.sku);
    if (same) same.count += item.count;
    else merged.items.push(item);
  }
  return merged;
}

/** Signs in and keeps what was in the cart before. */
export async function signIn(api, credentials, guest) {
  const account = await api.signIn(credentials);
  const own = await api.loadCart(account);
  const merged = mergeCarts(own, guest);
  api.saveCart(account, merged);
  await api.deleteCart(guest.id);
  return { account, cart: merged };
}
