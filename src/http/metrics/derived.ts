import { Counter, Gauge, type Registry } from 'prom-client'

/** Figures that something else keeps, read when somebody asks for them. */
export class Derived {
  private readonly registers: Registry[]

  constructor(registry: Registry) {
    this.registers = [registry]
  }

  /** What stands at a value. */
  gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      ...{ name, help, registers: this.registers },
      collect() {
        this.set(value())
      },
    })
  }

  /** What is counted elsewhere, and only grows. */
  counter(name: string, help: string, value: () => number): void {
    let told = 0
    new Counter({
      ...{ name, help, registers: this.registers },
      collect() {
        const now = value()
        this.inc(now - told)
        told = now
      },
    })
  }
}
