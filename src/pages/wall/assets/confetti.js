const PIECES = 220;
const GRAVITY = 900;

/** Paper falling over a canvas for some seconds. Nothing moves for those who asked for that. */
export class Confetti {
  #frame = 0;

  constructor(canvas) {
    this.canvas = canvas;
  }

  start(milliseconds) {
    this.stop();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const { canvas } = this;
    const scale = Math.min(devicePixelRatio || 1, 2);
    const width = (canvas.width = canvas.clientWidth * scale);
    const height = (canvas.height = canvas.clientHeight * scale);
    const accent = getComputedStyle(document.documentElement).getPropertyValue('--wall-accent').trim();
    const colours = [accent || '#ffb545', '#ff6b6b', '#4dd4ac', '#5aa9ff', '#ffe066', '#c792ff'];
    const size = Math.max(width, height) / 95;
    const pieces = Array.from({ length: PIECES }, (_, index) => ({
      x: Math.random() * width,
      y: -Math.random() * height * 0.9,
      speed: height * (0.22 + Math.random() * 0.3),
      drift: (Math.random() - 0.5) * width * 0.08,
      turn: Math.random() * Math.PI * 2,
      spin: (Math.random() - 0.5) * 8,
      colour: colours[index % colours.length],
      size: size * (0.6 + Math.random() * 0.8),
    }));
    const paper = canvas.getContext('2d');
    const begin = performance.now();
    let before = begin;
    const draw = (now) => {
      const step = Math.min((now - before) / 1_000, 0.05);
      before = now;
      paper.clearRect(0, 0, width, height);
      paper.globalAlpha = Math.min(1, Math.max(0, (begin + milliseconds - now) / 900));
      for (const piece of pieces) {
        piece.speed += GRAVITY * step * 0.06;
        piece.y += piece.speed * step;
        piece.x += piece.drift * step;
        piece.turn += piece.spin * step;
        paper.setTransform(
          Math.cos(piece.turn),
          Math.sin(piece.turn),
          -Math.sin(piece.turn),
          Math.cos(piece.turn),
          piece.x,
          piece.y,
        );
        paper.fillStyle = piece.colour;
        // Paper that turns shows its edge.
        paper.fillRect(
          -piece.size / 2,
          -piece.size / 4,
          piece.size,
          (piece.size / 2) * Math.abs(Math.cos(piece.turn * 1.3)) + 1,
        );
      }
      paper.setTransform(1, 0, 0, 1, 0, 0);
      this.#frame = now < begin + milliseconds ? requestAnimationFrame(draw) : 0;
    };
    this.#frame = requestAnimationFrame(draw);
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    this.canvas.getContext('2d').clearRect(0, 0, this.canvas.width, this.canvas.height);
  }
}
