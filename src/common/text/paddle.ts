/** A paddle number: the number on the sign that a guest raises for a pledge. */
export const PADDLE = /^[0-9A-Za-z-]{1,12}$/;
