import { stillness } from './model.js';

/** Pieces on a square. A longer canvas has larger pieces, so it needs fewer of them. */
const PIECES = 400;
const GRAVITY = 54;

/** Falling paper on a canvas for some seconds. Does nothing if reduced motion is set. */
export class Confetti {
  private frame = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  start(milliseconds: number): void {
    this.stop();
    const paper = this.canvas.getContext('2d');
    if (stillness() || !paper) return;
    const { canvas } = this;
    const scale = Math.min(devicePixelRatio || 1, 1.5);
    const width = (canvas.width = canvas.clientWidth * scale);
    const height = (canvas.height = canvas.clientHeight * scale);
    const style = getComputedStyle(document.documentElement);
    const colours = ['--brand', '--gold', '--ink-soft'].map((name) => style.getPropertyValue(name).trim());
    const size = Math.max(width, height) / 60;
    const count = Math.round((PIECES * Math.min(width, height)) / Math.max(width, height, 1));
    const pieces = Array.from({ length: count }, (_, index) => ({
      x: Math.random() * width,
      y: -Math.random() * height * 0.9,
      speed: height * (0.22 + Math.random() * 0.3),
      drift: (Math.random() - 0.5) * width * 0.08,
      turn: Math.random() * Math.PI * 2,
      spin: (Math.random() - 0.5) * 8,
      colour: colours[index % 5 === 4 ? 2 : index % 2] ?? '',
      size: size * (0.5 + Math.random() * 0.7),
    }));
    let begin: number | undefined;
    let before = 0;
    const draw = (now: number) => {
      // Starts at the time of the first frame, because this time can be earlier than `performance.now()`.
      begin ??= before = now;
      const step = Math.min((now - before) / 1_000, 0.05);
      before = now;
      paper.setTransform(1, 0, 0, 1, 0, 0);
      paper.clearRect(0, 0, width, height);
      paper.globalAlpha = Math.min(1, Math.max(0, (begin + milliseconds - now) / 900));
      for (const piece of pieces) {
        piece.speed += GRAVITY * step;
        piece.y += piece.speed * step;
        piece.x += piece.drift * step;
        piece.turn += piece.spin * step;
        const [cos, sin] = [Math.cos(piece.turn), Math.sin(piece.turn)];
        paper.setTransform(cos, sin, -sin, cos, piece.x, piece.y);
        paper.fillStyle = piece.colour;
        // Turning paper shows its edge.
        const thick = (piece.size / 2) * Math.abs(Math.cos(piece.turn * 1.3)) + 1;
        paper.fillRect(-piece.size / 2, -piece.size / 4, piece.size, thick);
      }
      this.frame = now < begin + milliseconds ? requestAnimationFrame(draw) : 0;
    };
    this.frame = requestAnimationFrame(draw);
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    const paper = this.canvas.getContext('2d');
    paper?.setTransform(1, 0, 0, 1, 0, 0);
    paper?.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }
}
