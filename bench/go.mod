module locus/bench

go 1.26.0

require locus v0.0.0

replace locus => ../
