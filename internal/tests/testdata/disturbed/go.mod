module disturbed

go 1.26
